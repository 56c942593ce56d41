-- The names of the fields of the active card types that a project can use.
SELECT DISTINCT f.name
FROM card_types AS t
JOIN fields AS f ON f.card_type_id = t.id
WHERE t.org_id = :org_id AND t.archived_at IS NULL AND (t.project_id IS NULL OR t.project_id = :project_id)
ORDER BY f.name
