-- End an invitation: it was taken back, or the person has come.
DELETE FROM invitations
WHERE org_id = :org_id AND user_id = :user_id
