-- Whether an organization has an unfinished job.
SELECT 1
FROM jobs
WHERE org_id = :org_id
LIMIT 1
