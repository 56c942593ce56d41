-- Which of the given fields have a value on a card.
SELECT v.field_id
FROM json_each(:field_ids) AS ids
CROSS JOIN field_values AS v ON v.card_id = :card_id AND v.field_id = ids.value
