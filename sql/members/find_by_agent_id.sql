-- The member of an organization whose handle is the id of an agent, in any case: a mention could mean both.
SELECT u.id
FROM users AS u
JOIN memberships AS m ON m.user_id = u.id AND m.org_id = :org_id
WHERE u.handle = lower(:agent_id)
