-- The open move request of a card.
SELECT id
FROM move_requests
WHERE card_id = :card_id AND state = 'open'
