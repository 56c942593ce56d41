-- The tool servers of an organization by name, optionally only enabled ones.
SELECT id, name, transport, command, args, env, url, auth_kind, auth_token, enabled, created_at
FROM mcp_servers
WHERE org_id = :org_id AND enabled >= :enabled
ORDER BY name, id
