-- The active teams of an organization, oldest first.
SELECT id, name
FROM teams
WHERE org_id = :org_id AND archived_at IS NULL
ORDER BY created_at, id
