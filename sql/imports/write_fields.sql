-- Upsert a custom field of a snapshot.
INSERT INTO fields (
    id, org_id, card_type_id, name, label, kind, required, options, position, validation, multiple, created_at
)
VALUES (
    :id, :org_id, :card_type_id, :name, :label, :kind, :required, :options, :order, :validation, :multiple,
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
    created_at = excluded.created_at
WHERE fields.org_id = excluded.org_id
