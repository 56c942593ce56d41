-- Archive the transitions of a project in the same operation.
UPDATE transitions
SET archived_at = :archived_at, archive_id = :archive_id
WHERE project_id = :project_id AND archived_at IS NULL
