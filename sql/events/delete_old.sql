-- Forget a few of the oldest events: those before the first young one, never the last one there is.
DELETE FROM events
WHERE
    id < (
        SELECT coalesce(min(id) FILTER (WHERE created_at >= :before), max(id))
        FROM (SELECT id, created_at FROM events ORDER BY id LIMIT :limit)
    )
