-- Delete a webhook with its deliveries.
DELETE FROM webhooks
WHERE id = :webhook_id
