-- What the index holds of a card, the words of its comments aside.
SELECT rowid AS part, title, sources, fields
FROM search_texts
WHERE rowid BETWEEN :first AND :last
