-- The first event of any organization with at least the given id, to find a time in the log.
SELECT id, created_at
FROM events
WHERE id >= :id
ORDER BY id
LIMIT 1
