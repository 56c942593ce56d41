-- The highest rank key of the active cards of a column.
SELECT max(rank_key)
FROM cards
WHERE column_id = :column_id AND archived_at IS NULL
