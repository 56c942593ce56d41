-- How many deliveries of a webhook there are.
SELECT count(*)
FROM deliveries
WHERE webhook_id = :webhook_id AND (:state IS NULL OR state = :state)
