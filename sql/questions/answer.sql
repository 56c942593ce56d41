-- Answer an open question and return its agent.
UPDATE questions
SET state = 'answered', answer_id = :answer_id, answered_by = :answered_by, answered_at = :now
WHERE comment_id = :comment_id AND state = 'open'
RETURNING agent_id
