-- Delete one row of a large card from the index.
DELETE FROM search_parts
WHERE rowid = (:number << 18) + :part
