-- The version of a prompt with a label.
SELECT id
FROM prompt_versions
WHERE prompt_id = :prompt_id AND label = :label
