-- How many fields a card type has.
SELECT count(*)
FROM fields
WHERE card_type_id = :card_type_id
