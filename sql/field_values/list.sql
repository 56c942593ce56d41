-- The values that a card has, by the name of the field.
SELECT v.field_id, f.name, v.value
FROM field_values AS v
JOIN fields AS f ON f.id = v.field_id
WHERE v.card_id = :card_id
ORDER BY f.position, f.id
