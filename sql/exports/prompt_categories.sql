-- The prompt categories of an organization for a snapshot.
SELECT
    json_object(
        'id', id,
        'name', name,
        'color', color,
        'createdAt', created_at
    ) AS row
FROM prompt_categories
WHERE org_id = :org_id
ORDER BY created_at, id
