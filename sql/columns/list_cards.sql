-- Some of the active cards of a column, from the top.
SELECT id
FROM cards
WHERE column_id = :column_id AND archived_at IS NULL
ORDER BY rank_key, id
LIMIT :limit
