-- The given fields that a card type has.
SELECT
    f.id,
    f.card_type_id,
    f.name,
    f.label,
    f.kind,
    f.required,
    f.options,
    f.position AS "order",
    f.validation,
    f.multiple,
    f.show_on_card,
    f.option_colors,
    f.created_at
FROM json_each(:field_ids) AS ids
CROSS JOIN fields AS f ON f.id = ids.value
WHERE f.card_type_id = :card_type_id
