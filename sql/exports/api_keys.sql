-- The API keys of an organization for a snapshot, without secrets.
SELECT
    json_object(
        'id', id,
        'name', name,
        'prefix', prefix,
        'teamId', team_id,
        'agentId', agent_id,
        'actsAsItself', json(iif(acts_as_itself, 'true', 'false')),
        'enabled', json(iif(enabled, 'true', 'false')),
        'expiresAt', expires_at,
        'createdAt', created_at
    ) AS row
FROM api_keys
WHERE org_id = :org_id
ORDER BY created_at, id
