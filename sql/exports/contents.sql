-- The files of an organization with what their contents must be.
SELECT id, card_id, name, size_bytes, lost_since
FROM files
WHERE org_id = :org_id
ORDER BY card_id, id
