-- The number of comments of a card, without their replies; a trigger maintains it.
SELECT comment_count
FROM cards
WHERE id = :card_id
