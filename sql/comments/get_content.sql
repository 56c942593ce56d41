-- The text of a comment or reply on a card.
SELECT content
FROM comments
WHERE id = :comment_id AND card_id = :card_id
