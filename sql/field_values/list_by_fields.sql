-- The values of a card in the given fields.
SELECT v.field_id, v.value
FROM json_each(:field_ids) AS ids
CROSS JOIN field_values AS v ON v.card_id = :card_id AND v.field_id = ids.value
