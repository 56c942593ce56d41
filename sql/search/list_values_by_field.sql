-- The text values of a card in the given fields, without ids and check marks.
SELECT v.field_id, v.value
FROM json_each(:field_ids) AS ids
CROSS JOIN field_values AS v ON v.card_id = :card_id AND v.field_id = ids.value
JOIN fields AS f ON f.id = v.field_id
WHERE f.kind NOT IN ('agent', 'user', 'file', 'checkbox')
ORDER BY f.position, f.id
