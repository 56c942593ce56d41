-- The field of a card type that has a name.
SELECT id
FROM fields
WHERE card_type_id = :card_type_id AND name = :name
