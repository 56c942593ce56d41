-- One preset row of an organization, unless its card type is deleted.
SELECT p.id, p.card_type_id, p.preset_name, p.field_id, p.value
FROM preset_fields AS p
JOIN card_types AS t ON t.id = p.card_type_id AND t.archived_at IS NULL
WHERE p.id = :preset_field_id AND p.org_id = :org_id
