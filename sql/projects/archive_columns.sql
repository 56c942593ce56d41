-- Archive the active columns of a project in the same operation.
UPDATE columns
SET archived_at = :archived_at, archived_by = :archived_by, archive_id = :archive_id
WHERE project_id = :project_id AND archived_at IS NULL
