-- One preset row of an organization.
SELECT id, card_type_id, preset_name, field_id, value
FROM preset_fields
WHERE id = :preset_field_id AND org_id = :org_id
