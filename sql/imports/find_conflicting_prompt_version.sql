-- The version of a prompt with a label: there can be one.
SELECT id
FROM prompt_versions
WHERE prompt_id = :prompt_id AND label = :label
