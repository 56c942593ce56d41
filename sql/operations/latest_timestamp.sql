-- The latest timestamp that the service itself stored, as imports cannot do. The clock may have been set back since.
SELECT max(timestamp)
FROM (
    SELECT created_at AS timestamp
    FROM (SELECT created_at FROM events ORDER BY id DESC LIMIT 10000) AS newest
    UNION ALL
    SELECT max(tokens_valid_from) FROM users
    UNION ALL
    SELECT max(checked_at) FROM readiness
) AS timestamps
