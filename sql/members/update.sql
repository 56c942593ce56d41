-- Change the role of a member.
UPDATE memberships
SET role = :role
WHERE org_id = :org_id AND user_id = :user_id
