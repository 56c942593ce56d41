-- Delete an invitation that was withdrawn or accepted.
DELETE FROM invitations
WHERE org_id = :org_id AND user_id = :user_id
