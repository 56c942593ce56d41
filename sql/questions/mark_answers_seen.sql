-- The agent that asked has claimed the card: what was answered puts it first no more.
UPDATE questions
SET answer_seen = 1
WHERE org_id = :org_id AND agent_id = :agent_id AND card_id = :card_id AND state = 'answered' AND answer_seen = 0
