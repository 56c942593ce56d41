-- The number of replies to a comment, which a trigger maintains.
SELECT reply_count
FROM comments
WHERE id = :comment_id
