-- Delete the transitions into and out of a column.
DELETE FROM transitions
WHERE from_column_id = :column_id OR to_column_id = :column_id
