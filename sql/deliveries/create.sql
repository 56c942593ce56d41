-- Create a delivery of an event to a webhook, due at once.
INSERT INTO deliveries (id, webhook_id, event_id, type, event, next_attempt_at, created_at)
VALUES (:id, :webhook_id, :event_id, :type, :event, :now, :now)
