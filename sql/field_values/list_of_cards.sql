-- The field values of the given cards, one row for each card.
SELECT
    ids.value AS card_id,
    (
        SELECT json_group_array(json_object('fieldId', v.field_id, 'value', json(v.value)))
        FROM (
            SELECT w.field_id, w.value
            FROM field_values AS w
            JOIN fields AS f ON f.id = w.field_id
            WHERE w.card_id = ids.value
            ORDER BY f.position, f.id
        ) AS v
    ) AS field_values
FROM json_each(:card_ids) AS ids
