-- The answer kept for a request, unless it is too old.
SELECT id, fingerprint, answer
FROM retries
WHERE id = :id AND created_at > :since
