-- The permission rows of an organization for a snapshot.
SELECT
    json_object(
        'id', id,
        'role', role,
        'resource', resource,
        'actions', json(actions)
    ) AS row
FROM permissions
WHERE org_id = :org_id
ORDER BY id
