-- The encrypted secrets of webhooks of all organizations, a page at a time.
SELECT id, secret
FROM webhooks
WHERE id > :after
ORDER BY id
LIMIT :limit
