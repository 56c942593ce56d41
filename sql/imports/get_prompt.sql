-- The prompt with an id, of any organization.
SELECT
    id, org_id, name, category_id, current_version_id, created_at, updated_at, archived_at
FROM prompts
WHERE id = :id
