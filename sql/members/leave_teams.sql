-- Remove a user from all teams of an organization.
DELETE FROM team_members
WHERE user_id = :user_id AND team_id IN (SELECT id FROM teams WHERE org_id = :org_id)
