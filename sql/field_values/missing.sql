-- The fields that a column requires of a card and that are still empty there.
SELECT f.id
FROM fields AS f
WHERE
    f.card_type_id = :card_type_id
    AND (
        f.id IN (SELECT value FROM json_each(:required_field_ids))
        OR (f.required = 1 AND :is_first = 0)
    )
    AND NOT EXISTS (SELECT 1 FROM field_values AS v WHERE v.card_id = :card_id AND v.field_id = f.id)
ORDER BY f.position, f.id
