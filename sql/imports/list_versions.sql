-- The versions of a prompt with the size that each adds to the quota.
SELECT id, active, length(body) + 400 AS size
FROM prompt_versions
WHERE prompt_id = :prompt_id
