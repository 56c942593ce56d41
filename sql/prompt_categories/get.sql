-- One prompt category of an organization.
SELECT id, name, color
FROM prompt_categories
WHERE id = :category_id AND org_id = :org_id
