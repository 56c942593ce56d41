-- The active cards among the given ones, and whether they match other filters.
SELECT
    coalesce(s.number, 0) AS number, -- 0: not yet indexed
    coalesce(s.parts, 0) > 0 AS is_large,
    c.id AS card_id,
    c.key AS card_key,
    c.project_id,
    p.title AS project_title,
    c.column_id,
    col.title AS column_title,
    c.title,
    :card_ids IS NULL OR c.id IN (SELECT value FROM json_each(:card_ids)) AS matches_filters
FROM json_each(:named_ids) AS named
CROSS JOIN keyed_cards AS c ON c.id = named.value
JOIN projects AS p ON p.id = c.project_id
JOIN columns AS col ON col.id = c.column_id
LEFT JOIN search_cards AS s ON s.card_id = c.id
WHERE
    c.archived_at IS NULL
    AND c.project_archived_at IS NULL
    AND (:project_ids IS NULL OR c.project_id IN (SELECT value FROM json_each(:project_ids)))
ORDER BY named.key
