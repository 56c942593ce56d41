-- The folded title of a card that is indexed for substrings.
SELECT title
FROM search_titles
WHERE rowid = :number
