-- Some row of the history of a card, if it has any.
SELECT id
FROM history
WHERE card_id = :card_id
LIMIT 1
