-- Restore a team.
UPDATE teams
SET archived_at = NULL, archived_by = NULL, archive_id = NULL
WHERE id = :id
