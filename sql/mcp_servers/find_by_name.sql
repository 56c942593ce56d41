-- The tool server of a name.
SELECT id
FROM mcp_servers
WHERE org_id = :org_id AND name = :name
