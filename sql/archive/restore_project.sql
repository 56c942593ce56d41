-- Restore a project.
UPDATE projects
SET archived_at = NULL, archived_by = NULL, archive_id = NULL
WHERE id = :id
