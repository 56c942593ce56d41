-- Delete a preset row.
DELETE FROM preset_fields
WHERE id = :preset_field_id
