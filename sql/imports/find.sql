-- The import that holds an organization, if one does.
SELECT last_step
FROM imports
WHERE org_id = :org_id
