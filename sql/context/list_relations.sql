-- The active cards that a card is related to, except its parts, as seen from that card, oldest relation first.
SELECT
    r.kind,
    c.key,
    c.title,
    col.title AS "column",
    col.column_type = 'done' AS done
FROM (
    -- Each branch is read in the order of an index, and no further than the limit.
    SELECT
        to_card_id AS other_id,
        kind,
        created_at,
        id
    FROM relationships
    WHERE from_card_id = :card_id
    UNION ALL
    SELECT from_card_id, 'blockedBy', created_at, id
    FROM relationships
    WHERE to_card_id = :card_id AND kind = 'blocks'
    UNION ALL
    SELECT from_card_id, 'neededBy', created_at, id
    FROM relationships
    WHERE to_card_id = :card_id AND kind = 'dependsOn'
    UNION ALL
    SELECT from_card_id, 'duplicatedBy', created_at, id
    FROM relationships
    WHERE to_card_id = :card_id AND kind = 'duplicates'
    UNION ALL
    SELECT from_card_id, 'relatesTo', created_at, id
    FROM relationships
    WHERE to_card_id = :card_id AND kind = 'relatesTo'
    ORDER BY created_at, id
    LIMIT -1
) AS r
CROSS JOIN keyed_cards AS c ON c.id = r.other_id AND c.archived_at IS NULL
CROSS JOIN columns AS col ON col.id = c.column_id
LIMIT :limit
