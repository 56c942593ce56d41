-- The time of the last change of a card.
SELECT max(created_at)
FROM history
WHERE card_id = :card_id
