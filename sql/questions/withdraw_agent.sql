-- Take back what an agent has asked that is open, and tell which.
UPDATE questions
SET state = 'withdrawn'
WHERE org_id = :org_id AND agent_id = :agent_id AND state = 'open'
RETURNING comment_id, card_id
