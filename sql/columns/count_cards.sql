-- Count the active cards of a column.
SELECT card_count
FROM columns
WHERE id = :column_id
