-- Upsert a tool server of a snapshot. The secrets of an existing one stay, and whether it is enabled.
INSERT INTO mcp_servers (
    id, org_id, name, transport, command, args, env, url, auth_kind, enabled, created_at
)
VALUES (
    :id, :org_id, :name, :transport, :command, :args, '{}', :url, :auth_kind, :enabled, :created_at
)
ON CONFLICT (id) DO UPDATE SET
    name = excluded.name,
    transport = excluded.transport,
    command = excluded.command,
    args = excluded.args,
    url = excluded.url,
    auth_kind = excluded.auth_kind,
    created_at = excluded.created_at
WHERE mcp_servers.org_id = excluded.org_id
