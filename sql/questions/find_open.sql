-- The open question of an agent on a card.
SELECT comment_id
FROM questions
WHERE card_id = :card_id AND agent_id = :agent_id AND state = 'open'
