-- Update a tool server.
UPDATE mcp_servers
SET
    name = :name,
    command = :command,
    args = :args,
    env = :env,
    url = :url,
    auth_kind = :auth_kind,
    auth_token = :auth_token,
    enabled = :enabled
WHERE id = :server_id
