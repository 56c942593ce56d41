-- Archive a prompt. Its versions stay.
UPDATE prompts
SET archived_at = :now
WHERE id = :prompt_id
