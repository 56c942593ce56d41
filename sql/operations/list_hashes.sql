-- All files with the location, size and hash of their contents.
SELECT org_id, card_id, id, size_bytes, sha256
FROM files
ORDER BY org_id, card_id, id
