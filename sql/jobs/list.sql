-- The unfinished jobs, oldest first.
SELECT id, org_id, kind
FROM jobs
ORDER BY id
