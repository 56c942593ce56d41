-- The field values of a card with the names and kinds of the fields.
SELECT v.field_id, f.name, f.kind, v.value
FROM field_values AS v
JOIN fields AS f ON f.id = v.field_id
WHERE v.card_id = :card_id
ORDER BY f.position, f.id
