-- The new role of somebody who is invited.
UPDATE invitations
SET role = :role
WHERE org_id = :org_id AND user_id = :user_id
