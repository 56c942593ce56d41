-- Clear the current version of a prompt.
UPDATE prompts
SET current_version_id = NULL
WHERE id = :prompt_id
