-- The prompts of an organization or of one category, by name.
SELECT id, name, category_id, current_version_id, created_at, updated_at
FROM prompts
WHERE
    org_id = :org_id
    AND archived_at IS NULL
    AND (:category_id IS NULL OR category_id = :category_id)
ORDER BY name, id
