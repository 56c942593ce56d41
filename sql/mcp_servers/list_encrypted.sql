-- The encrypted secrets of tool servers of all organizations, a page at a time.
SELECT id, env, auth_token
FROM mcp_servers
WHERE id > :after
ORDER BY id
LIMIT :limit
