-- The active parts of a card, in the order in which they became parts.
SELECT
    'has' AS kind,
    c.key,
    c.title,
    col.title AS "column",
    col.column_type = 'done' AS done
FROM relationships AS r
CROSS JOIN keyed_cards AS c ON c.id = r.from_card_id AND c.archived_at IS NULL
CROSS JOIN columns AS col ON col.id = c.column_id
WHERE r.to_card_id = :card_id AND r.kind = 'partOf'
ORDER BY r.created_at, r.id
LIMIT :limit
