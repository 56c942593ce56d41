-- The jobs that are not done, oldest first.
SELECT id, org_id
FROM jobs
ORDER BY id
