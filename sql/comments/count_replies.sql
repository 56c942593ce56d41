-- Count the replies to a comment.
SELECT count(*)
FROM comments
WHERE parent_id = :comment_id
