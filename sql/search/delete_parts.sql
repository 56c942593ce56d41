-- Delete all rows of a large card from the index.
DELETE FROM search_parts
WHERE rowid BETWEEN :number << 18 AND (:number + 1 << 18) - 1
