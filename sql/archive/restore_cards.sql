-- Restore cards that one operation archived, up to a limit, and return them.
UPDATE cards
SET
    archived_at = NULL,
    archived_by = NULL,
    archive_id = NULL,
    version = version + 1,
    updated_at = :now
WHERE id IN (SELECT c.id FROM cards AS c WHERE c.project_id = :project_id AND c.archive_id = :archive_id LIMIT :limit)
RETURNING id, column_id
