-- The organization with an id.
SELECT
    id, title, color, owner_id, timezone, created_at, archived_at
FROM organizations
WHERE id = :id
