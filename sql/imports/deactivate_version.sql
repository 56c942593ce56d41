-- Deactivate a version of a prompt.
UPDATE prompt_versions
SET active = 0
WHERE id = :version_id
