-- Delete all field values of a card.
DELETE FROM field_values
WHERE card_id = :card_id
