-- The encrypted secrets of webhooks, of all organizations.
SELECT id, secret
FROM webhooks
WHERE id > :after
ORDER BY id
LIMIT :limit
