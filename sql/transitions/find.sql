-- The transition from one column to another.
SELECT id, requires_approval
FROM transitions
WHERE from_column_id = :from_column_id AND to_column_id = :to_column_id AND archived_at IS NULL
