-- The versions of a prompt, newest first.
SELECT id, label, body, active, created_at
FROM prompt_versions
WHERE prompt_id = :prompt_id
ORDER BY created_at DESC, id DESC
