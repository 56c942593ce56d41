-- Whether any job is at work in an organization.
SELECT 1
FROM jobs
WHERE org_id = :org_id
LIMIT 1
