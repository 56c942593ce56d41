-- Archive a team.
UPDATE teams
SET archived_at = :now, archived_by = :archived_by, archive_id = :archive_id
WHERE id = :team_id
