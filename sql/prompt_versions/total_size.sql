-- The characters of all versions of a prompt, with a fixed overhead for each version.
SELECT coalesce(sum(length(body) + 400), 0)
FROM prompt_versions
WHERE prompt_id = :prompt_id
