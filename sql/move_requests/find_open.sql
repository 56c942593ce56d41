-- The request to move a card that waits for a decision.
SELECT id
FROM move_requests
WHERE card_id = :card_id AND state = 'open'
