-- One relation of an organization.
SELECT
    r.id,
    r.from_card_id,
    r.to_card_id,
    f.key || '-' || o.number AS from_card_key,
    t.key || '-' || d.number AS to_card_key,
    r.kind,
    r.comment,
    r.created_at
FROM relationships AS r
JOIN cards AS o ON o.id = r.from_card_id
JOIN projects AS f ON f.id = o.project_id
JOIN cards AS d ON d.id = r.to_card_id
JOIN projects AS t ON t.id = d.project_id
WHERE r.id = :relationship_id AND r.org_id = :org_id
