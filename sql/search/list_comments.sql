-- The ids of the comments and replies of a card, oldest first.
SELECT id
FROM comments
WHERE card_id = :card_id
ORDER BY created_at, id
