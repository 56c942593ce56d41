-- The field values of some cards, one card after the other, as SQLite goes through the list.
SELECT
    n.value AS card_id,
    (
        SELECT json_group_array(json_object('fieldId', v.field_id, 'value', json(v.value)))
        FROM (
            SELECT w.field_id, w.value
            FROM field_values AS w
            JOIN fields AS f ON f.id = w.field_id
            WHERE w.card_id = n.value
            ORDER BY f.position, f.id
        ) AS v
    ) AS field_values
FROM json_each(:card_ids) AS n
