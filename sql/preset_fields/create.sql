-- A value that a preset gives to a field.
INSERT INTO preset_fields (id, org_id, card_type_id, preset_name, field_id, value)
VALUES (:id, :org_id, :card_type_id, :preset_name, :field_id, :value)
