-- The value of a field on a card, with its mentions.
SELECT value, mentions
FROM field_values
WHERE card_id = :card_id AND field_id = :field_id
