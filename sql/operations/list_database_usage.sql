-- The organizations that use most of the database, by their estimates.
SELECT
    o.id,
    o.title,
    u.used_bytes,
    u.is_exempt
FROM database_usage AS u
INNER JOIN organizations AS o ON o.id = u.org_id
WHERE u.used_bytes > 0
ORDER BY u.used_bytes DESC, o.id
LIMIT :limit
