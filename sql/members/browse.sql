-- The members of an organization, oldest first.
SELECT
    u.id AS user_id,
    u.email,
    u.full_name,
    m.role,
    m.created_at
FROM memberships AS m
JOIN users AS u ON u.id = m.user_id
WHERE m.org_id = :org_id
ORDER BY m.created_at, u.id
