-- The comments and replies of a card, oldest first.
SELECT id, content
FROM comments
WHERE card_id = :card_id
ORDER BY created_at, id
