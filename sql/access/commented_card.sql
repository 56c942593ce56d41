-- The part of a card that a person who comments on it is judged by; neither its column nor a claim stands in the way.
SELECT
    c.id,
    c.org_id,
    c.project_id,
    c.version,
    c.archived_at,
    NULL AS claim,
    p.archived_at AS project_archived_at,
    t.comments_enabled
FROM cards AS c
JOIN projects AS p ON p.id = c.project_id
JOIN card_types AS t ON t.id = c.card_type_id
WHERE c.id = :card_id
