-- Archive the active card types that a project owns in the same operation.
UPDATE card_types
SET archived_at = :archived_at, archived_by = :archived_by, archive_id = :archive_id
WHERE project_id = :project_id AND archived_at IS NULL
