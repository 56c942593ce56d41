-- Record the result of an attempt. This changes nothing if the webhook was deleted meanwhile.
UPDATE deliveries
SET
    state = :state,
    attempts = :attempts,
    status_code = :status_code,
    error = :error,
    duration_ms = :duration_ms,
    next_attempt_at = :next_attempt_at,
    delivered_at = :delivered_at
WHERE id = :delivery_id
