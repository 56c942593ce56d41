-- All files with the location and size of their contents.
SELECT org_id, card_id, id, size_bytes
FROM files
ORDER BY org_id, card_id, id
