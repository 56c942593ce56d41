-- Remove an agent key.
DELETE FROM api_keys
WHERE id = :key_id
