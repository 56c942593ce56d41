-- One agent of an organization.
SELECT
    id,
    title,
    team_id,
    status,
    online_until > :now AS is_online,
    last_seen_at,
    machine_name,
    machine_ip,
    llm_version,
    email,
    os_name,
    os_version,
    ram_bytes,
    storage_bytes,
    storage_type,
    created_at,
    key_id
FROM agents
WHERE org_id = :org_id AND id = :agent_id
