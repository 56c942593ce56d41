-- Upsert a custom field of a snapshot.
INSERT INTO fields (
    id, org_id, card_type_id, name, label, kind, required, options, position, validation, multiple,
    show_on_card, option_colors, created_at
)
VALUES (
    :id,
    :org_id,
    :card_type_id,
    :name,
    :label,
    :kind,
    :required,
    :options,
    :order,
    :validation,
    :multiple,
    coalesce(:show_on_card, 0), -- an import that an earlier version has begun does not say it
    coalesce(:option_colors, '{}'),
    :created_at
)
ON CONFLICT (id) DO UPDATE SET
    card_type_id = excluded.card_type_id,
    name = excluded.name,
    label = excluded.label,
    kind = excluded.kind,
    required = excluded.required,
    options = excluded.options,
    position = excluded.position,
    validation = excluded.validation,
    multiple = excluded.multiple,
    show_on_card = excluded.show_on_card,
    option_colors = excluded.option_colors,
    created_at = excluded.created_at
WHERE fields.org_id = excluded.org_id
