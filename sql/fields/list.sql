-- The fields of a card type, by position.
SELECT
    id,
    card_type_id,
    name,
    label,
    kind,
    required,
    options,
    position AS "order",
    validation,
    multiple,
    show_on_card,
    option_colors,
    created_at
FROM fields
WHERE card_type_id = :card_type_id
ORDER BY position, id
