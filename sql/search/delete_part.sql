-- Delete one part of a card from the index.
DELETE FROM search_texts
WHERE rowid = :part
