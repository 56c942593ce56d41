-- Create an API key. Only its hash is stored.
INSERT INTO api_keys (id, org_id, name, prefix, hash, team_id, agent_id, acts_as_itself, expires_at, created_at)
VALUES (:id, :org_id, :name, :prefix, :hash, :team_id, :agent_id, :acts_as_itself, :expires_at, :now)
