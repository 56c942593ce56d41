-- One tool server of an organization.
SELECT id, name, transport, command, args, env, url, auth_kind, auth_token, enabled, created_at
FROM mcp_servers
WHERE id = :server_id AND org_id = :org_id
