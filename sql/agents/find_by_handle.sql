-- An agent whose id equals a handle, in any case, in an organization of a person: a mention could mean both.
SELECT a.id
FROM memberships AS m
JOIN agents AS a ON a.org_id = m.org_id AND a.id COLLATE NOCASE = :handle
WHERE m.user_id = :user_id
LIMIT 1
