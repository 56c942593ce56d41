-- Count the history rows of a card.
SELECT count(*)
FROM history
WHERE card_id = :card_id
