-- The texts of some cards that match, with a private character before and one after each hit.
SELECT
    rowid >> 16 AS number,
    highlight(search_texts, 0, :before, :after) AS title,
    sources,
    highlight(search_texts, 2, :before, :after) AS fields,
    highlight(search_texts, 3, :before, :after) AS comments
FROM search_texts
WHERE
    search_texts MATCH :match
    AND rowid BETWEEN :first AND :last
    -- The plus keeps it from being asked once for each card.
    AND +rowid >> 16 IN (SELECT value FROM json_each(:numbers))
ORDER BY rowid
