-- Count the active cards that match: the small ones by their texts, and the given large ones.
SELECT count(*)
FROM (
    SELECT rowid AS number
    FROM search_texts
    WHERE search_texts MATCH :match AND rowid BETWEEN :first AND :last
    UNION ALL
    SELECT value
    FROM json_each(:large)
) AS matching
CROSS JOIN search_cards AS s ON s.number = matching.number
WHERE
    s.active
    AND (:project_ids IS NULL OR s.project_id IN (SELECT value FROM json_each(:project_ids)))
    AND (:card_ids IS NULL OR s.card_id IN (SELECT value FROM json_each(:card_ids)))
    AND s.card_id NOT IN (SELECT value FROM json_each(:named_ids))
