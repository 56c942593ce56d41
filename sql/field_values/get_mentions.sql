-- Whom the value of a field on a card mentions, as it is stored.
SELECT mentions
FROM field_values
WHERE card_id = :card_id AND field_id = :field_id
