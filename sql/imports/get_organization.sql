-- The organization with an id, of whichever organization.
SELECT
    id, title, color, owner_id, created_at, archived_at
FROM organizations
WHERE id = :id
