-- The encrypted stored responses of all organizations, a page at a time.
SELECT id, answer
FROM retries
WHERE id > :after
ORDER BY id
LIMIT :limit
