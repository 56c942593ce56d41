-- The first number from 2 on with which a handle is free, as in mo-2; null if it is free without one.
-- A handle is taken by an account, or by an agent with that id in an organization ('.' follows '-').
WITH taken AS MATERIALIZED (
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
),

numbered AS MATERIALIZED (
    SELECT 1 AS number
    UNION ALL
    SELECT CAST(substr(handle, length(:handle) + 2) AS INTEGER)
    FROM taken
    WHERE handle <> :handle AND substr(handle, length(:handle) + 2) NOT GLOB '*[^0-9]*'
)

SELECT min(before.number) + 1
FROM numbered AS before
WHERE
    before.number + 1 NOT IN (SELECT number FROM numbered)
    AND :handle IN (SELECT handle FROM taken)
