-- The matching texts of the given small cards, with a marker before and after each match.
SELECT
    rowid AS number,
    highlight(search_texts, 0, :before, :after) AS title,
    sources,
    highlight(search_texts, 2, :before, :after) AS fields,
    highlight(search_texts, 3, :before, :after) AS comments
FROM search_texts
WHERE
    search_texts MATCH :match
    AND rowid BETWEEN :first AND :last
    -- The unary plus prevents one query of the index for each card.
    AND +rowid IN (SELECT value FROM json_each(:numbers))
