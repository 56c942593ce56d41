-- Update an API key: its name, whether it is enabled and whether it may act as itself.
UPDATE api_keys
SET name = :name, enabled = :enabled, acts_as_itself = :acts_as_itself
WHERE id = :key_id
