-- Restore the transitions that one operation archived.
UPDATE transitions
SET archived_at = NULL, archive_id = NULL
WHERE project_id = :project_id AND archive_id = :archive_id
