-- Mark the answers to an agent's questions on a card as seen: the card is no longer preferred for that agent.
UPDATE questions
SET answer_seen = 1
WHERE org_id = :org_id AND agent_id = :agent_id AND card_id = :card_id AND state = 'answered' AND answer_seen = 0
