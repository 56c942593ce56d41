-- The agents of an organization, optionally of one team or with one status, oldest first.
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
    created_at
FROM agents
WHERE
    org_id = :org_id
    AND (:team_id IS NULL OR team_id = :team_id)
    AND (:status IS NULL OR status = :status)
ORDER BY created_at, id
