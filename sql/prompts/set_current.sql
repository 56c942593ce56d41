-- The current version of a prompt, or none.
UPDATE prompts
SET current_version_id = :version_id, updated_at = :now
WHERE id = :prompt_id
