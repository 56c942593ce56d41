-- Handles like a given one, alone or with a number, that accounts or agents of an organization have ('.' follows '-').
SELECT handle
FROM users
WHERE handle = :handle OR (handle > :handle || '-' AND handle < :handle || '.')
UNION ALL
SELECT lower(id)
FROM agents
WHERE
    org_id = :org_id
    AND (
        id COLLATE NOCASE = :handle
        OR (id COLLATE NOCASE > :handle || '-' AND id COLLATE NOCASE < :handle || '.')
    )
