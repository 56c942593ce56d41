-- Store the secrets of a tool server encrypted with another key.
UPDATE mcp_servers
SET env = :env, auth_token = :auth_token
WHERE id = :id
