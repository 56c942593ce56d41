-- Count the deliveries of a webhook.
SELECT count(*)
FROM deliveries
WHERE webhook_id = :webhook_id AND (:state IS NULL OR state = :state)
