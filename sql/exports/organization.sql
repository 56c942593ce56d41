-- The organization of a snapshot.
SELECT
    json_object(
        'id', id,
        'title', title,
        'color', color,
        'createdAt', created_at
    ) AS row
FROM organizations
WHERE id = :org_id
