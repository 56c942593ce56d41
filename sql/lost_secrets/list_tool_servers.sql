-- The tool servers of an organization with their encrypted secrets, by name.
SELECT id, name, env, auth_token
FROM mcp_servers
WHERE org_id = :org_id
ORDER BY name
