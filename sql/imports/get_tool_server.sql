-- The tool server with an id, of any organization.
SELECT
    id, org_id, name, transport, command, args, url, auth_kind, enabled, created_at
FROM mcp_servers
WHERE id = :id
