-- What a comment or a reply on a card says.
SELECT content
FROM comments
WHERE id = :comment_id AND card_id = :card_id
