-- The text of a comment.
SELECT content
FROM comments
WHERE id = :comment_id
