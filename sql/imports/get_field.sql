-- The custom field with an id, of any organization.
SELECT
    id, org_id, card_type_id, name, label, kind, required, options, position AS "order", validation, multiple,
    show_on_card, option_colors, created_at
FROM fields
WHERE id = :id
