-- A page of the active cards with a match in any part, last indexed first.
SELECT
    s.number,
    c.id AS card_id,
    c.key AS card_key,
    c.project_id,
    p.title AS project_title,
    c.column_id,
    col.title AS column_title,
    c.title
FROM (
    SELECT s.number
    FROM search_texts
    CROSS JOIN search_cards AS s ON s.number = search_texts.rowid >> 16
    WHERE
        search_texts MATCH :match
        AND search_texts.rowid BETWEEN :first AND :last
        AND s.active
        AND (:project_ids IS NULL OR s.project_id IN (SELECT value FROM json_each(:project_ids)))
        AND (:card_ids IS NULL OR s.card_id IN (SELECT value FROM json_each(:card_ids)))
        AND s.card_id NOT IN (SELECT value FROM json_each(:named_ids))
    GROUP BY s.number
    ORDER BY s.number DESC
    LIMIT :limit OFFSET :offset
) AS page
JOIN search_cards AS s ON s.number = page.number
JOIN keyed_cards AS c ON c.id = s.card_id
JOIN projects AS p ON p.id = c.project_id
JOIN columns AS col ON col.id = c.column_id
ORDER BY s.number DESC
