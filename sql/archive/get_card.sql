-- An archived card with what decides whether it can be restored.
SELECT
    c.id,
    c.column_id,
    c.project_id,
    c.archived_at,
    p.archived_at AS project_archived_at,
    t.archived_at AS card_type_archived_at
FROM cards AS c
JOIN projects AS p ON p.id = c.project_id
JOIN card_types AS t ON t.id = c.card_type_id
WHERE c.id = :id AND c.org_id = :org_id AND c.archived_at IS NOT NULL
