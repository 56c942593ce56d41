-- Delete a membership.
DELETE FROM memberships
WHERE org_id = :org_id AND user_id = :user_id
