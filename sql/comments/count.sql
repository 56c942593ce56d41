-- The number of comments of a card without replies, which a trigger maintains.
SELECT comment_count
FROM cards
WHERE id = :card_id
