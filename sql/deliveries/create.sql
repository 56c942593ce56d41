-- An event that is to be sent to a webhook, at once.
INSERT INTO deliveries (id, webhook_id, event_id, type, event, next_attempt_at, created_at)
VALUES (:id, :webhook_id, :event_id, :type, :event, :now, :now)
