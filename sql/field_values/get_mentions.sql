-- The people and agents that the value of a field on a card mentions, in stored form.
SELECT mentions
FROM field_values
WHERE card_id = :card_id AND field_id = :field_id
