-- When a card last changed.
SELECT max(created_at)
FROM history
WHERE card_id = :card_id
