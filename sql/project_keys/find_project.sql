-- The project for which a key is kept.
SELECT project_id
FROM project_keys
WHERE org_id = :org_id AND key = :key
