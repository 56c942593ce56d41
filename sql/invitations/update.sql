-- Change the role of an invited person.
UPDATE invitations
SET role = :role
WHERE org_id = :org_id AND user_id = :user_id
