-- The same secret under another key.
UPDATE webhooks
SET secret = :secret
WHERE id = :id
