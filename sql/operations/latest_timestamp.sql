-- The latest time that anything was written at, by the clock of then, which may have gone back since.
SELECT max(moment)
FROM (
    SELECT created_at AS moment
    FROM (SELECT created_at FROM events ORDER BY id DESC LIMIT 10000) AS newest
    UNION ALL
    SELECT max(created_at) FROM organizations
    UNION ALL
    SELECT max(tokens_valid_from) FROM users
    UNION ALL
    SELECT max(checked_at) FROM readiness
) AS moments
