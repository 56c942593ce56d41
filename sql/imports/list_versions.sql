-- The versions of a prompt, and what each takes of the room that they have together.
SELECT id, active, length(body) + 400 AS size
FROM prompt_versions
WHERE prompt_id = :prompt_id
