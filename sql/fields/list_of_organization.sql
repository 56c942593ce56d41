-- The names and kinds of the fields of all card types of an organization, archived ones included.
SELECT f.id, f.name, f.kind, t.archived_at IS NULL AS is_active
FROM fields AS f
JOIN card_types AS t ON t.id = f.card_type_id
WHERE f.org_id = :org_id
ORDER BY t.created_at, t.id, f.position, f.id
