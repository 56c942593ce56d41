-- The active organizations, oldest first.
SELECT id, title
FROM organizations
WHERE archived_at IS NULL
ORDER BY created_at, id
