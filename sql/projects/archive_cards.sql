-- Archive the active cards of a project in the same operation, and name them.
UPDATE cards
SET
    archived_at = :now,
    archived_by = :archived_by,
    archive_id = :archive_id,
    version = version + 1,
    updated_at = :now
WHERE project_id = :project_id AND archived_at IS NULL
RETURNING id, column_id
