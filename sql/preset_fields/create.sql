-- Create a preset row: the value of a field in a preset.
INSERT INTO preset_fields (id, org_id, card_type_id, preset_name, field_id, value)
VALUES (:id, :org_id, :card_type_id, :preset_name, :field_id, :value)
