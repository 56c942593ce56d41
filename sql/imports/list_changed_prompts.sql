-- The prompts that came with a snapshot, or of which a version did.
SELECT id
FROM prompts
UNION
SELECT prompt_id
FROM prompt_versions
