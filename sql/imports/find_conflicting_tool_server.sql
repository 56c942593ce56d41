-- The tool server of an organization with a name: there can be one.
SELECT id
FROM mcp_servers
WHERE org_id = :org_id AND name = :name
