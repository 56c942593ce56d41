-- A page of the deliveries of a webhook, newest first.
SELECT
    id, event_id, type, state, attempts, status_code, error, duration_ms, next_attempt_at, created_at, delivered_at
FROM deliveries
WHERE webhook_id = :webhook_id AND (:state IS NULL OR state = :state)
ORDER BY event_id DESC
LIMIT :limit OFFSET :offset
