-- One active card type without its fields.
SELECT id, project_id, title, color, comments_enabled, files_enabled, created_at
FROM card_types
WHERE id = :card_type_id AND org_id = :org_id AND archived_at IS NULL
