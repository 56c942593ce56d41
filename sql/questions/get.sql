-- What became of the question that a comment of a card asks.
SELECT comment_id, agent_id, state
FROM questions
WHERE comment_id = :comment_id AND card_id = :card_id
