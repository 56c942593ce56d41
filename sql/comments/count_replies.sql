-- The number of replies to a comment; a trigger maintains it.
SELECT reply_count
FROM comments
WHERE id = :comment_id
