-- The members of an organization and the invited people, oldest first. Only the e-mail of invited people is disclosed.
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
WHERE m.org_id = :org_id
UNION ALL
SELECT
    i.user_id,
    i.email,
    NULL AS full_name,
    NULL AS handle,
    i.role,
    'invited' AS state,
    i.created_at
FROM invitations AS i
WHERE i.org_id = :org_id AND i.expires_at > :now
ORDER BY created_at, user_id
