-- The indexed parts of a card without the texts of its comments.
SELECT rowid AS part, title, sources, fields
FROM search_texts
WHERE rowid BETWEEN :first AND :last
