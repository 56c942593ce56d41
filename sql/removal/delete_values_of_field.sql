-- Delete values of a field, up to a limit.
DELETE FROM field_values
WHERE
    field_id = :field_id
    AND card_id IN (SELECT v.card_id FROM field_values AS v WHERE v.field_id = :field_id LIMIT :limit)
