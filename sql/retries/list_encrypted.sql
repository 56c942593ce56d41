-- The encrypted answers that are kept, of all organizations.
SELECT id, answer
FROM retries
WHERE id > :after
ORDER BY id
LIMIT :limit
