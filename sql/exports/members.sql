-- The members of an organization for a snapshot, without their passwords.
SELECT
    json_object(
        'id', u.id,
        'email', u.email,
        'fullName', u.full_name,
        'handle', u.handle,
        'role', m.role
    ) AS row
FROM memberships AS m
JOIN users AS u ON u.id = m.user_id
WHERE m.org_id = :org_id
ORDER BY m.created_at, u.id
