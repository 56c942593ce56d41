-- The field of a card type with a name, which is unique there.
SELECT id
FROM fields
WHERE card_type_id = :card_type_id AND name = :name
