-- Make all pending deliveries of a webhook due at once.
UPDATE deliveries
SET next_attempt_at = :now
WHERE webhook_id = :webhook_id AND state = 'pending'
