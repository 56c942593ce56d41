-- The cards that a card is related to, as seen from that card, without archived cards; parts by card number.
SELECT
    r.kind,
    c.key,
    c.title,
    col.title AS "column",
    col.column_type = 'done' AS done
FROM (
    SELECT
        r.to_card_id AS other_id,
        r.kind,
        r.created_at,
        r.id
    FROM relationships AS r
    WHERE r.from_card_id = :card_id
    UNION ALL
    SELECT
        r.from_card_id,
        CASE r.kind
            WHEN 'blocks' THEN 'blockedBy'
            WHEN 'dependsOn' THEN 'neededBy'
            WHEN 'partOf' THEN 'has'
            WHEN 'duplicates' THEN 'duplicatedBy'
            ELSE r.kind
        END,
        r.created_at,
        r.id
    FROM relationships AS r
    WHERE r.to_card_id = :card_id
) AS r
JOIN keyed_cards AS c ON c.id = r.other_id AND c.archived_at IS NULL
JOIN columns AS col ON col.id = c.column_id
ORDER BY r.kind = 'has', CASE WHEN r.kind = 'has' THEN c.number END, r.created_at, r.id
LIMIT :limit
