-- The fields of a card type, to renumber them.
SELECT id, position
FROM fields
WHERE card_type_id = :parent_id
ORDER BY position, id
