-- Archive a project.
UPDATE projects
SET archived_at = :archived_at, archived_by = :archived_by, archive_id = :archive_id
WHERE id = :project_id
