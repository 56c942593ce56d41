-- The organization of a snapshot.
SELECT
    json_object(
        'id', id,
        'title', title,
        'color', color,
        'timezone', timezone,
        'createdAt', created_at
    ) AS row
FROM organizations
WHERE id = :org_id
