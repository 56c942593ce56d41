-- The agent of an organization with an id.
SELECT
    id, org_id, title, team_id, status, last_seen_at, machine_name, machine_ip, llm_version, email, os_name,
    os_version, ram_bytes, storage_bytes, storage_type, created_at
FROM agents
WHERE org_id = :org_id AND id = :id
