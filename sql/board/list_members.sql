-- The members of an organization, who can be assigned to cards, oldest first.
SELECT u.id, u.full_name AS name, u.handle
FROM memberships AS m
JOIN users AS u ON u.id = m.user_id
WHERE m.org_id = :org_id
ORDER BY m.created_at, u.id
