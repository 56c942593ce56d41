-- New name of an agent key, and whether it is enabled.
UPDATE api_keys
SET name = :name, enabled = :enabled
WHERE id = :key_id
