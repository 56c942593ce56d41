-- The current version of a prompt, which agents read.
SELECT p.name, v.label AS version, v.body
FROM prompts AS p
JOIN prompt_versions AS v ON v.id = p.current_version_id
WHERE p.id = :prompt_id AND p.org_id = :org_id AND p.archived_at IS NULL
