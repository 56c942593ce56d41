-- A card as its gates see it: where it is, what its column allows, what its type allows.
SELECT
    c.id,
    c.org_id,
    c.project_id,
    c.column_id,
    c.card_type_id,
    c.archived_at,
    p.archived_at AS project_archived_at,
    l.agent_pickup_enabled,
    l.agent_can_moderate,
    t.comments_enabled,
    t.files_enabled
FROM cards AS c
JOIN projects AS p ON p.id = c.project_id
JOIN columns AS l ON l.id = c.column_id
JOIN card_types AS t ON t.id = c.card_type_id
WHERE c.id = :card_id
