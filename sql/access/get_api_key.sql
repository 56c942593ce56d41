-- One API key with everything that decides whether it is valid.
SELECT
    k.id,
    k.org_id,
    k.name,
    k.hash,
    k.team_id,
    k.agent_id,
    k.acts_as_itself,
    k.enabled,
    k.expires_at,
    o.archived_at AS organization_archived_at
FROM api_keys AS k
JOIN organizations AS o ON o.id = k.org_id
WHERE k.id = :key_id
