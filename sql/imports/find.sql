-- The import in progress in an organization.
SELECT last_step
FROM imports
WHERE org_id = :org_id
