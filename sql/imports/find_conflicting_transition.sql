-- The transition between two columns: there can be one.
SELECT id
FROM transitions
WHERE from_column_id = :from_column_id AND to_column_id = :to_column_id
