-- A page of the comments of a card with the first replies to each, oldest first.
SELECT id, content, actor, replies, replies_total, asks, mentions, imported, created_at
FROM comment_threads
WHERE card_id = :card_id
ORDER BY created_at, id
LIMIT :limit OFFSET :offset
