-- Have a prompt without a current version.
UPDATE prompts
SET current_version_id = NULL
WHERE id = :prompt_id
