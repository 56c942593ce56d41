-- Take one part of a card out of the index.
DELETE FROM search_texts
WHERE rowid = :part
