-- Count the active cards whose title or field values match. All parts of a card contain these.
SELECT count(*)
FROM search_texts
CROSS JOIN search_cards AS s ON s.number = search_texts.rowid >> 16
WHERE
    search_texts MATCH :match
    AND search_texts.rowid BETWEEN :first AND :last
    AND search_texts.rowid & 65535 = 0
    AND s.active
    AND (:project_ids IS NULL OR s.project_id IN (SELECT value FROM json_each(:project_ids)))
    AND (:card_ids IS NULL OR s.card_id IN (SELECT value FROM json_each(:card_ids)))
    AND s.card_id NOT IN (SELECT value FROM json_each(:named_ids))
