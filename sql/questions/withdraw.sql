-- Take a question back that is open.
UPDATE questions
SET state = 'withdrawn'
WHERE comment_id = :comment_id AND state = 'open'
