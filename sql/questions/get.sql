-- The state of the question of a comment.
SELECT comment_id, agent_id, state
FROM questions
WHERE comment_id = :comment_id AND card_id = :card_id
