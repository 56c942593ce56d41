-- One active card type with its fields.
SELECT id, project_id, title, color, comments_enabled, files_enabled, created_at, fields
FROM card_type_details
WHERE id = :card_type_id AND org_id = :org_id AND archived_at IS NULL
