-- Active cards of a column in rank order, up to a limit.
SELECT id
FROM cards
WHERE column_id = :column_id AND archived_at IS NULL
ORDER BY rank_key, id
LIMIT :limit
