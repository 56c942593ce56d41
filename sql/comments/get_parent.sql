-- The comment of a card that a reply refers to.
SELECT id, parent_id
FROM comments
WHERE id = :comment_id AND card_id = :card_id
