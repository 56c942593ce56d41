-- What is encrypted at rest of tool servers, of all organizations.
SELECT id, env, auth_token
FROM mcp_servers
WHERE id > :after
ORDER BY id
LIMIT :limit
