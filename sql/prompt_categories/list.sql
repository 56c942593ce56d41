-- The prompt categories of an organization, oldest first.
SELECT id, name, color
FROM prompt_categories
WHERE org_id = :org_id
ORDER BY created_at, id
