-- One API key of an organization.
SELECT id, name, prefix, team_id, agent_id, acts_as_itself, enabled, expires_at, last_used_at, created_at
FROM api_keys
WHERE id = :key_id AND org_id = :org_id
