-- The first event of an organization with at least the given id, to find a time in the log.
SELECT id, created_at
FROM events
WHERE org_id = :org_id AND id >= :id
ORDER BY id
LIMIT 1
