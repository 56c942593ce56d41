-- The active organizations of a user, oldest first.
SELECT
    o.id,
    o.title,
    o.color,
    o.owner_id,
    o.timezone,
    o.created_at,
    m.role
FROM memberships AS m
JOIN organizations AS o ON o.id = m.org_id
WHERE m.user_id = :user_id AND o.archived_at IS NULL
ORDER BY o.created_at, o.id
