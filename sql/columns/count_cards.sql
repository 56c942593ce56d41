-- How many active cards a column holds.
SELECT count(*)
FROM cards
WHERE column_id = :column_id AND archived_at IS NULL
