-- Upsert a tool server of a snapshot. The secrets of an existing one stay.
-- It also stays enabled, unless the snapshot leads agents with these secrets to another address.
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
    enabled = mcp_servers.enabled
    AND (mcp_servers.command, mcp_servers.args, mcp_servers.url) IS (excluded.command, excluded.args, excluded.url),
    created_at = excluded.created_at
WHERE mcp_servers.org_id = excluded.org_id
