-- The size of all values of a card in bytes.
SELECT coalesce(sum(length(CAST(value AS BLOB))), 0)
FROM field_values
WHERE card_id = :card_id
