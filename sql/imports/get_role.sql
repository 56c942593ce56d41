-- The role of a user in an organization, archived or not.
SELECT role
FROM memberships
WHERE org_id = :org_id AND user_id = :user_id
