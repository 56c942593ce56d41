-- One member of an organization.
SELECT
    u.id AS user_id,
    u.email,
    u.full_name,
    u.handle,
    m.role,
    'active' AS state,
    m.created_at
FROM memberships AS m
JOIN users AS u ON u.id = m.user_id
WHERE m.org_id = :org_id AND m.user_id = :user_id
