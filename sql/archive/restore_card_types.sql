-- Restore the card types that one operation archived.
UPDATE card_types
SET archived_at = NULL, archived_by = NULL, archive_id = NULL
WHERE project_id = :project_id AND archive_id = :archive_id
