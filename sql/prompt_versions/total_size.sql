-- How many characters the versions of a prompt have, with what goes around each of them.
SELECT coalesce(sum(length(body) + 400), 0)
FROM prompt_versions
WHERE prompt_id = :prompt_id
