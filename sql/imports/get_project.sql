-- The project with an id, of any organization.
SELECT
    id, org_id, title, key, last_number, color, display, created_at, archived_at, archived_by, archive_id
FROM projects
WHERE id = :id
