-- The text values of a card, without ids and check marks.
SELECT v.field_id, v.value
FROM field_values AS v
JOIN fields AS f ON f.id = v.field_id
WHERE v.card_id = :card_id AND f.kind NOT IN ('agent', 'user', 'file', 'checkbox')
ORDER BY f.position, f.id
