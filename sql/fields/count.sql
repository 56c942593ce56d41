-- Count the fields of a card type.
SELECT count(*)
FROM fields
WHERE card_type_id = :card_type_id
