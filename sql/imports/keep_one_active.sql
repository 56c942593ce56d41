-- No version of a prompt is active but the current one.
UPDATE prompt_versions
SET active = 0
WHERE
    active = 1
    AND prompt_id IN (SELECT id FROM prompts WHERE org_id = :org_id)
    AND NOT EXISTS (
        SELECT 1
        FROM prompts AS p
        WHERE p.id = prompt_versions.prompt_id AND p.current_version_id = prompt_versions.id
    )
