-- Try all that waits for a webhook at once.
UPDATE deliveries
SET next_attempt_at = :now
WHERE webhook_id = :webhook_id AND state = 'pending'
