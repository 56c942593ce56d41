-- Activate one version of a prompt, or none.
UPDATE prompt_versions
SET active = id = COALESCE(:version_id, '')
WHERE prompt_id = :prompt_id
