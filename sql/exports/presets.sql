-- The preset rows of an organization for a snapshot.
SELECT
    json_object(
        'id', id,
        'cardTypeId', card_type_id,
        'presetName', preset_name,
        'fieldId', field_id,
        'value', json(value)
    ) AS row
FROM preset_fields
WHERE org_id = :org_id
ORDER BY id
