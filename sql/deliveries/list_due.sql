-- The deliveries of a webhook that are due, those that have waited longest first.
SELECT id, type, event, attempts
FROM deliveries
WHERE webhook_id = :webhook_id AND state = 'pending' AND next_attempt_at <= :now
ORDER BY next_attempt_at, event_id
LIMIT :limit
