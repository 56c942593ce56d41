-- The prompts of an organization for a snapshot, including archived ones.
SELECT
    json_object(
        'id', id,
        'name', name,
        'categoryId', category_id,
        'currentVersionId', current_version_id,
        'createdAt', created_at,
        'updatedAt', updated_at,
        'archivedAt', archived_at
    ) AS row
FROM prompts
WHERE org_id = :org_id
ORDER BY created_at, id
