-- The active card types of an organization with their fields, optionally only those that one project can use.
SELECT id, project_id, title, color, comments_enabled, files_enabled, created_at, fields
FROM card_type_details
WHERE
    org_id = :org_id
    AND archived_at IS NULL
    AND (:project_id IS NULL OR project_id IS NULL OR project_id = :project_id)
ORDER BY created_at, id
