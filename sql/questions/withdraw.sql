-- Withdraw an open question.
UPDATE questions
SET state = 'withdrawn'
WHERE comment_id = :comment_id AND state = 'open'
