-- Remove a webhook; its deliveries go with it.
DELETE FROM webhooks
WHERE id = :webhook_id
