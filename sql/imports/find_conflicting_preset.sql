-- The row of a preset for a field, which is unique.
SELECT id
FROM preset_fields
WHERE card_type_id = :card_type_id AND preset_name = :preset_name AND field_id = :field_id
