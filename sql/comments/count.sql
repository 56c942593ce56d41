-- Count the comments of a card without replies.
SELECT count(*)
FROM comments
WHERE card_id = :card_id AND parent_id IS NULL
