-- The tool server of an organization with a name, which is unique there.
SELECT id
FROM mcp_servers
WHERE org_id = :org_id AND name = :name
