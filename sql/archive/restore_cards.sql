-- Bring back the cards that one operation archived, and name them.
UPDATE cards
SET
    archived_at = NULL,
    archived_by = NULL,
    archive_id = NULL,
    version = version + 1,
    updated_at = :now
WHERE project_id = :project_id AND archive_id = :archive_id
RETURNING id, column_id
