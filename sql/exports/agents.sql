-- The agents of an organization for a snapshot, without their API keys.
SELECT
    json_object(
        'id', id,
        'title', title,
        'teamId', team_id,
        'status', status,
        'isOnline', json(iif(online_until > :now, 'true', 'false')),
        'lastSeenAt', last_seen_at,
        'machineName', machine_name,
        'machineIp', machine_ip,
        'llmVersion', llm_version,
        'email', email,
        'osName', os_name,
        'osVersion', os_version,
        'ramBytes', ram_bytes,
        'storageBytes', storage_bytes,
        'storageType', storage_type,
        'createdAt', created_at
    ) AS row
FROM agents
WHERE org_id = :org_id
ORDER BY created_at, id
