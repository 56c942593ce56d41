-- Change the role of an invited person. The caller becomes the sender: the invitation ends with the caller's role.
UPDATE invitations
SET role = :role, invited_by = :invited_by
WHERE org_id = :org_id AND user_id = :user_id
