-- A page of the active cards that match, last indexed first: the small ones by their texts, and the given large ones.
SELECT
    s.number,
    s.parts > 0 AS is_large,
    c.id AS card_id,
    c.key AS card_key,
    c.project_id,
    p.title AS project_title,
    c.column_id,
    col.title AS column_title,
    c.title
FROM (
    SELECT s.number
    FROM (
        SELECT rowid AS number
        FROM search_texts
        WHERE search_texts MATCH :match AND rowid BETWEEN :first AND :last
        UNION ALL
        SELECT value
        FROM json_each(:large)
        -- The order of the index, which is read no further than the page. LIMIT keeps it.
        ORDER BY number DESC
        LIMIT -1
    ) AS matching
    CROSS JOIN search_cards AS s ON s.number = matching.number
    WHERE
        s.active
        AND (:project_ids IS NULL OR s.project_id IN (SELECT value FROM json_each(:project_ids)))
        AND (:card_ids IS NULL OR s.card_id IN (SELECT value FROM json_each(:card_ids)))
        AND s.card_id NOT IN (SELECT value FROM json_each(:named_ids))
    LIMIT :limit OFFSET :offset
) AS page
JOIN search_cards AS s ON s.number = page.number
JOIN keyed_cards AS c ON c.id = s.card_id
JOIN projects AS p ON p.id = c.project_id
JOIN columns AS col ON col.id = c.column_id
ORDER BY s.number DESC
