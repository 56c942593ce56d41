-- Add a user to an organization.
INSERT INTO memberships (org_id, user_id, role, created_at)
VALUES (:org_id, :user_id, :role, :now)
