-- Record the last event that was matched against a webhook.
UPDATE webhooks
SET last_event_id = :event_id
WHERE id = :webhook_id
