-- Change the role of an invited person. Whoever changes it becomes the sender, with whose right the invitation ends.
UPDATE invitations
SET role = :role, invited_by = :invited_by
WHERE org_id = :org_id AND user_id = :user_id
