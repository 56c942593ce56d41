-- The ids of the active cards that match, up to a limit: the small ones by their texts, and the given large ones.
SELECT s.card_id
FROM (
    SELECT rowid AS number
    FROM search_texts
    WHERE search_texts MATCH :match AND rowid BETWEEN :first AND :last
    UNION ALL
    SELECT value
    FROM json_each(:large)
) AS matching
CROSS JOIN search_cards AS s ON s.number = matching.number
WHERE s.active
LIMIT :limit
