-- The other ends of a card's relations, as seen from it, archived ones left out; parts in the order of their numbers.
SELECT
    n.kind,
    p.key || '-' || c.number AS key,
    c.title,
    l.title AS "column",
    l.column_type = 'done' AS done
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
) AS n
JOIN cards AS c ON c.id = n.other_id AND c.archived_at IS NULL
JOIN projects AS p ON p.id = c.project_id
JOIN columns AS l ON l.id = c.column_id
ORDER BY n.kind = 'has', CASE WHEN n.kind = 'has' THEN c.number END, n.created_at, n.id
LIMIT :limit
