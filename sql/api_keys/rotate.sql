-- A new secret for an agent key; the old one is gone.
UPDATE api_keys
SET hash = :hash, prefix = :prefix
WHERE id = :key_id
