-- The version of a prompt that has a label.
SELECT id
FROM prompt_versions
WHERE prompt_id = :prompt_id AND label = :label
