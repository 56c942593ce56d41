-- The first event from an id on, of whichever organization: by its time a place in the log is found.
SELECT id, created_at
FROM events
WHERE id >= :id
ORDER BY id
LIMIT 1
