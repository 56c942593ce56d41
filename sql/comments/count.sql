-- How many comments a card has, replies not counted.
SELECT count(*)
FROM comments
WHERE card_id = :card_id AND parent_id IS NULL
