-- Create a team.
INSERT INTO teams (id, org_id, name, onboarding_doc, created_at)
VALUES (:id, :org_id, :name, :onboarding_doc, :now)
