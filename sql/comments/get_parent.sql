-- What a reply would answer to: a comment of the card.
SELECT id, parent_id
FROM comments
WHERE id = :comment_id AND card_id = :card_id
