-- The preset rows of an organization, or of one card type, by preset.
SELECT id, card_type_id, preset_name, field_id, value
FROM preset_fields
WHERE org_id = :org_id AND (:card_type_id IS NULL OR card_type_id = :card_type_id)
ORDER BY card_type_id, preset_name, id
