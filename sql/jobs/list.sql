-- The unfinished jobs, oldest first.
SELECT id, org_id
FROM jobs
ORDER BY id
