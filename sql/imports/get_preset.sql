-- The preset row with an id, of any organization.
SELECT
    id, org_id, card_type_id, preset_name, field_id, value
FROM preset_fields
WHERE id = :id
