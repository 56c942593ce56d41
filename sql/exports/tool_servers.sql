-- The tool servers of an organization for a snapshot. Only the names of secrets are included.
SELECT
    json_object(
        'id', id,
        'name', name,
        'transport', transport,
        'command', command,
        'args', json(args),
        'url', url,
        'env', (SELECT json_group_object(key, NULL) FROM json_each(mcp_servers.env)),
        'auth', json(iif(
            auth_kind IS NULL,
            NULL,
            json_object('kind', auth_kind, 'token', NULL, 'tokenSet', json(iif(auth_token IS NULL, 'false', 'true')))
        )),
        'enabled', json(iif(enabled, 'true', 'false')),
        'createdAt', created_at
    ) AS row
FROM mcp_servers
WHERE org_id = :org_id
ORDER BY created_at, id
