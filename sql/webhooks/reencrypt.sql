-- Store the secret of a webhook encrypted with another key.
UPDATE webhooks
SET secret = :secret
WHERE id = :id
