-- Withdraw the open questions of a card and return them.
UPDATE questions
SET state = 'withdrawn'
WHERE card_id = :card_id AND state = 'open'
RETURNING comment_id, agent_id
