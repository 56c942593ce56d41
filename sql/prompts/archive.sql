-- Take a prompt away; its versions are kept.
UPDATE prompts
SET archived_at = :now
WHERE id = :prompt_id
