-- The encrypted secrets of the webhooks of all organizations.
SELECT id, secret
FROM webhooks
ORDER BY id
