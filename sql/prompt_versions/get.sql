-- One version of a prompt.
SELECT id, label, body, active, created_at
FROM prompt_versions
WHERE id = :version_id AND prompt_id = :prompt_id
