-- The stored value of one field of a card.
SELECT value
FROM field_values
WHERE card_id = :card_id AND field_id = :field_id
