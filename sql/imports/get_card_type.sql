-- The card type with an id, of any organization.
SELECT
    id, org_id, project_id, title, color, comments_enabled, files_enabled, created_at, archived_at,
    archived_by, archive_id
FROM card_types
WHERE id = :id
