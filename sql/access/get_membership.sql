-- The role of a user in an active organization, with the permissions of that role.
SELECT
    m.role,
    u.full_name AS label,
    (
        SELECT json_group_object(p.resource, json(p.actions))
        FROM permissions AS p
        WHERE p.org_id = m.org_id AND p.role = m.role
    ) AS actions
FROM memberships AS m
JOIN organizations AS o ON o.id = m.org_id AND o.archived_at IS NULL
JOIN users AS u ON u.id = m.user_id
WHERE m.user_id = :user_id AND m.org_id = :org_id
