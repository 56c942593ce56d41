-- What is encrypted at rest, of all organizations.
SELECT id, env, auth_token
FROM mcp_servers
ORDER BY id
