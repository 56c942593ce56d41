-- Delete some of the oldest events, up to the first recent one; the last event always stays.
DELETE FROM events
WHERE
    id < (
        SELECT coalesce(min(id) FILTER (WHERE created_at >= :before), max(id))
        FROM (SELECT id, created_at FROM events ORDER BY id LIMIT :limit)
    )
