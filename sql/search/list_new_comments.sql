-- The comments and replies of a card, oldest first; those that were written after a certain one if that is named.
SELECT id, content
FROM comments
WHERE
    card_id = :card_id
    AND (:comment_id IS NULL OR rowid > (SELECT c.rowid FROM comments AS c WHERE c.id = :comment_id))
ORDER BY created_at, id
