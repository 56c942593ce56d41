-- Any history row of a card.
SELECT id
FROM history
WHERE card_id = :card_id
LIMIT 1
