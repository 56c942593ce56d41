-- How many active cards a column holds.
SELECT card_count
FROM columns
WHERE id = :column_id
