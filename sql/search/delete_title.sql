-- Delete the title of a card from the index of substrings.
DELETE FROM search_titles
WHERE rowid = :number
