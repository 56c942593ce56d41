-- Disable the API keys that are bound to a team.
UPDATE api_keys
SET enabled = 0
WHERE team_id = :team_id
