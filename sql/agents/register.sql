-- Register an agent, or update the data that it reports about itself. Only a pending one gets another title or team.
INSERT INTO agents (
    org_id, id, title, team_id, key_id, status, last_seen_at, machine_name, machine_ip, llm_version, email,
    os_name, os_version, ram_bytes, storage_bytes, storage_type, created_at
)
VALUES (
    :org_id, :agent_id, :title, :team_id, :key_id, :status, :now, :machine_name, :machine_ip, :llm_version,
    :email, :os_name, :os_version, :ram_bytes, :storage_bytes, :storage_type, :now
)
ON CONFLICT (org_id, id) DO UPDATE SET
    title = CASE WHEN excluded.status = 'pending' THEN excluded.title ELSE agents.title END,
    team_id = CASE
        WHEN excluded.status = 'pending' THEN excluded.team_id
        ELSE coalesce(agents.team_id, excluded.team_id)
    END,
    key_id = excluded.key_id,
    status = excluded.status,
    last_seen_at = excluded.last_seen_at,
    machine_name = excluded.machine_name,
    machine_ip = excluded.machine_ip,
    llm_version = excluded.llm_version,
    email = excluded.email,
    os_name = excluded.os_name,
    os_version = excluded.os_version,
    ram_bytes = excluded.ram_bytes,
    storage_bytes = excluded.storage_bytes,
    storage_type = excluded.storage_type
