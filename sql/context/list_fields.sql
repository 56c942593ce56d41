-- The field values of a card by field name, in field order, without files.
SELECT f.name, v.value
FROM field_values AS v
JOIN fields AS f ON f.id = v.field_id
WHERE v.card_id = :card_id AND f.kind <> 'file'
ORDER BY f.position, f.id
