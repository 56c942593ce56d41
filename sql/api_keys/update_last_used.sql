-- Record when an API key was last used.
UPDATE api_keys
SET last_used_at = :now
WHERE id = :key_id
