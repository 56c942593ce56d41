-- The prompt category with an id, of any organization.
SELECT
    id, org_id, name, color, created_at
FROM prompt_categories
WHERE id = :id
