-- The field values of a preset for new cards of a type.
SELECT field_id, value
FROM preset_fields
WHERE card_type_id = :card_type_id AND preset_name = :preset_name
ORDER BY id
