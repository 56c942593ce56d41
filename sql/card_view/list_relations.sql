-- The relationships of a card, each with the card at its other end, oldest first; archived cards are left out.
SELECT
    r.id,
    r.from_card_id,
    r.to_card_id,
    r.from_card_key,
    r.to_card_key,
    r.kind,
    r.comment,
    r.created_at,
    json_object(
        'id', c.id,
        'key', c.key,
        'title', c.title,
        'projectId', c.project_id,
        'columnId', c.column_id,
        'column', col.title,
        'done', json(iif(col.column_type = 'done', 'true', 'false'))
    ) AS card
FROM relationship_details AS r
JOIN keyed_cards AS c ON c.id = iif(r.from_card_id = :card_id, r.to_card_id, r.from_card_id) AND c.archived_at IS NULL
JOIN columns AS col ON col.id = c.column_id
WHERE r.from_card_id = :card_id OR r.to_card_id = :card_id
ORDER BY r.created_at, r.id
