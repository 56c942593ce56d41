-- A prompt's current version is one of its own active versions, or there is none.
UPDATE prompts
SET current_version_id = NULL
WHERE
    org_id = :org_id
    AND current_version_id IS NOT NULL
    AND NOT EXISTS (
        SELECT 1
        FROM prompt_versions AS v
        WHERE v.id = prompts.current_version_id AND v.prompt_id = prompts.id AND v.active = 1
    )
