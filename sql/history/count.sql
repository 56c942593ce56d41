-- How many rows the history of a card has.
SELECT count(*)
FROM history
WHERE card_id = :card_id
