-- The relations of a card with the card at the other end of each, oldest first; archived ones are not shown.
SELECT
    r.id,
    r.from_card_id,
    r.to_card_id,
    f.key || '-' || o.number AS from_card_key,
    t.key || '-' || d.number AS to_card_key,
    r.kind,
    r.comment,
    r.created_at,
    json_object(
        'id', e.id,
        'key', p.key || '-' || e.number,
        'title', e.title,
        'projectId', e.project_id,
        'columnId', e.column_id,
        'column', l.title,
        'done', json(iif(l.column_type = 'done', 'true', 'false'))
    ) AS card
FROM relationships AS r
JOIN cards AS o ON o.id = r.from_card_id
JOIN projects AS f ON f.id = o.project_id
JOIN cards AS d ON d.id = r.to_card_id
JOIN projects AS t ON t.id = d.project_id
JOIN cards AS e ON e.id = iif(r.from_card_id = :card_id, r.to_card_id, r.from_card_id) AND e.archived_at IS NULL
JOIN projects AS p ON p.id = e.project_id
JOIN columns AS l ON l.id = e.column_id
WHERE r.from_card_id = :card_id OR r.to_card_id = :card_id
ORDER BY r.created_at, r.id
