-- A person's role in an active organization, with what the role may do with a resource.
SELECT
    m.role,
    u.full_name AS label,
    p.actions
FROM memberships AS m
JOIN organizations AS o ON o.id = m.org_id AND o.archived_at IS NULL
JOIN users AS u ON u.id = m.user_id
LEFT JOIN permissions AS p
    ON p.org_id = m.org_id AND p.role = m.role AND p.resource = :resource
WHERE m.user_id = :user_id AND m.org_id = :org_id
