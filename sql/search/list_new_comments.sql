-- The comments and replies of a card, oldest first, optionally only those after a given one.
SELECT id, content
FROM comments
WHERE
    card_id = :card_id
    AND (:comment_id IS NULL OR rowid > (SELECT c.rowid FROM comments AS c WHERE c.id = :comment_id))
ORDER BY created_at, id
