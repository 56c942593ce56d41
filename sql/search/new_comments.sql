-- The comments and replies of a card that were written after a certain one, oldest first.
SELECT id
FROM comments
WHERE card_id = :card_id AND rowid > (SELECT c.rowid FROM comments AS c WHERE c.id = :comment_id)
ORDER BY created_at, id
