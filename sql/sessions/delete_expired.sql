-- Delete sessions that have expired, at most the given number.
DELETE FROM sessions
WHERE
    id IN (
        SELECT id
        FROM sessions
        WHERE expires_at <= :before
        LIMIT :limit
    )
