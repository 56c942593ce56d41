-- How many replies a comment has.
SELECT count(*)
FROM comments
WHERE parent_id = :comment_id
