-- The tool servers of an organization, or only those that are enabled, by name.
SELECT id, name, transport, command, args, env, url, auth_kind, auth_token, enabled, created_at
FROM mcp_servers
WHERE org_id = :org_id AND enabled >= :enabled
ORDER BY name, id
