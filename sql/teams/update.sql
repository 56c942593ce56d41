-- Update the name and onboarding document of a team.
UPDATE teams
SET name = :name, onboarding_doc = :onboarding_doc
WHERE id = :team_id
