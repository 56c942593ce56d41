-- One field of a card type.
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
WHERE id = :field_id AND card_type_id = :card_type_id AND org_id = :org_id
