-- The stored response of a request with an idempotency key, unless it has expired.
SELECT id, fingerprint, answer
FROM retries
WHERE id = :id AND created_at > :since
