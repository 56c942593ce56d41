-- The project that a key is reserved for.
SELECT project_id
FROM project_keys
WHERE org_id = :org_id AND key = :key
