-- Set or clear the current version of a prompt.
UPDATE prompts
SET current_version_id = :version_id, updated_at = :now
WHERE id = :prompt_id
