-- The version of a prompt with a label, which is unique there.
SELECT id
FROM prompt_versions
WHERE prompt_id = :prompt_id AND label = :label
