-- Take the title of a card out of the index by parts.
DELETE FROM search_titles
WHERE rowid = :number
