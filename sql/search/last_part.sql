-- The last part of a card in the index.
SELECT rowid AS part, title, sources, fields
FROM search_texts
WHERE rowid BETWEEN :first AND :last
ORDER BY rowid DESC
LIMIT 1
