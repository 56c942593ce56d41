-- A page of the comments of a card with the first replies to each, newest first.
SELECT id, content, actor, replies, replies_total, asks, mentions, imported, created_at
FROM comment_threads
WHERE card_id = :card_id
ORDER BY created_at DESC, id DESC
LIMIT :limit OFFSET :offset
