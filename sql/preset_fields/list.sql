-- The preset rows of an organization or of one card type, by preset. Deleted card types are left out.
SELECT p.id, p.card_type_id, p.preset_name, p.field_id, p.value
FROM preset_fields AS p
JOIN card_types AS t ON t.id = p.card_type_id AND t.archived_at IS NULL
WHERE p.org_id = :org_id AND (:card_type_id IS NULL OR p.card_type_id = :card_type_id)
ORDER BY p.card_type_id, p.preset_name, p.id
