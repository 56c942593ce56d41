-- The ids of active cards with a match in any part, up to a limit.
SELECT DISTINCT s.card_id
FROM search_texts
CROSS JOIN search_cards AS s ON s.number = search_texts.rowid >> 16
WHERE
    search_texts MATCH :match
    AND search_texts.rowid BETWEEN :first AND :last
    AND s.active
LIMIT :limit
