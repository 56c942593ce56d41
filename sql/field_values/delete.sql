-- Delete the value of a field on a card.
DELETE FROM field_values
WHERE card_id = :card_id AND field_id = :field_id
