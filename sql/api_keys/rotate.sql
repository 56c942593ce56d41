-- Replace the secret of an API key. The old secret is no longer valid.
UPDATE api_keys
SET hash = :hash, prefix = :prefix
WHERE id = :key_id
