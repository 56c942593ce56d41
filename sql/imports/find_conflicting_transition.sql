-- The transition between two columns, which is unique.
SELECT id
FROM transitions
WHERE from_column_id = :from_column_id AND to_column_id = :to_column_id
