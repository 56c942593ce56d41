-- Skip the events that happened while a webhook was disabled.
UPDATE webhooks
SET last_event_id = (SELECT coalesce(max(e.id), 0) FROM events AS e)
WHERE id = :webhook_id
