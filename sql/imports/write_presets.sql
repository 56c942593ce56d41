-- Upsert a preset row of a snapshot.
INSERT INTO preset_fields (
    id, org_id, card_type_id, preset_name, field_id, value
)
VALUES (
    :id, :org_id, :card_type_id, :preset_name, :field_id, :value
)
ON CONFLICT (id) DO UPDATE SET
    card_type_id = excluded.card_type_id,
    preset_name = excluded.preset_name,
    field_id = excluded.field_id,
    value = excluded.value
WHERE preset_fields.org_id = excluded.org_id
