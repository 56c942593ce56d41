-- Update a webhook.
UPDATE webhooks
SET url = :url, events = :events, secret = :secret, enabled = :enabled
WHERE id = :webhook_id
