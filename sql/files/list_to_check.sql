-- The next files in the order of their ids, with what their contents must be.
SELECT id, org_id, card_id, size_bytes, sha256, lost_since
FROM files
WHERE id > :after
ORDER BY id
LIMIT :limit
