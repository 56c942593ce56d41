-- Upsert an agent of a snapshot. The API key and the online state of an existing agent stay.
INSERT INTO agents (
    id, org_id, title, team_id, status, last_seen_at, machine_name, machine_ip, llm_version, email, os_name,
    os_version, ram_bytes, storage_bytes, storage_type, created_at
)
VALUES (
    :id, :org_id, :title, :team_id, :status, :last_seen_at, :machine_name, :machine_ip, :llm_version, :email,
    :os_name, :os_version, :ram_bytes, :storage_bytes, :storage_type, :created_at
)
ON CONFLICT (org_id, id) DO UPDATE SET
    title = excluded.title,
    team_id = excluded.team_id,
    status = excluded.status,
    is_online = CASE WHEN excluded.status = 'approved' THEN agents.is_online ELSE 0 END,
    last_seen_at = excluded.last_seen_at,
    machine_name = excluded.machine_name,
    machine_ip = excluded.machine_ip,
    llm_version = excluded.llm_version,
    email = excluded.email,
    os_name = excluded.os_name,
    os_version = excluded.os_version,
    ram_bytes = excluded.ram_bytes,
    storage_bytes = excluded.storage_bytes,
    storage_type = excluded.storage_type,
    created_at = excluded.created_at
