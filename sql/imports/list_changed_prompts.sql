-- The prompts for which a snapshot contains the prompt or a version.
SELECT id
FROM prompts
UNION
SELECT prompt_id
FROM prompt_versions
