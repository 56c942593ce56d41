-- Delete an API key.
DELETE FROM api_keys
WHERE id = :key_id
