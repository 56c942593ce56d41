-- Update the name and value of a preset row.
UPDATE preset_fields
SET preset_name = :preset_name, value = :value
WHERE id = :preset_field_id
