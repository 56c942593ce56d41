-- Note up to which event a webhook has been offered all.
UPDATE webhooks
SET last_event_id = :event_id
WHERE id = :webhook_id
