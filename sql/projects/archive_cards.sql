-- Archive active cards of a project in the same operation, up to a limit, and return them.
UPDATE cards
SET
    archived_at = :archived_at,
    archived_by = :archived_by,
    archive_id = :archive_id,
    version = version + 1,
    updated_at = :archived_at
WHERE id IN (SELECT c.id FROM cards AS c WHERE c.project_id = :project_id AND c.archived_at IS NULL LIMIT :limit)
RETURNING id, column_id
