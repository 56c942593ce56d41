-- The matching texts of the given large cards, with a marker before and after each match, in the order of their rows.
SELECT
    rowid >> 18 AS number,
    highlight(search_parts, 0, :before, :after) AS title,
    sources,
    highlight(search_parts, 2, :before, :after) AS fields,
    highlight(search_parts, 3, :before, :after) AS comments
FROM search_parts
WHERE
    search_parts MATCH :match
    AND rowid BETWEEN :first AND :last
    -- The unary plus prevents one query of the index for each card.
    AND +rowid >> 18 IN (SELECT value FROM json_each(:numbers))
ORDER BY rowid
