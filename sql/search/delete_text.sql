-- Delete the row of a small card from the index.
DELETE FROM search_texts
WHERE rowid = :number
