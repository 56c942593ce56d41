-- Count the active cards with a match in any part.
SELECT count(DISTINCT s.number)
FROM search_texts
CROSS JOIN search_cards AS s ON s.number = search_texts.rowid >> 16
WHERE
    search_texts MATCH :match
    AND search_texts.rowid BETWEEN :first AND :last
    AND s.active
    AND (:project_ids IS NULL OR s.project_id IN (SELECT value FROM json_each(:project_ids)))
    AND (:card_ids IS NULL OR s.card_id IN (SELECT value FROM json_each(:card_ids)))
    AND s.card_id NOT IN (SELECT value FROM json_each(:named_ids))
