-- Delete a tool server.
DELETE FROM mcp_servers
WHERE id = :server_id
