-- The values of gauges over all organizations.
SELECT
    (SELECT coalesce(max(id), 0) FROM events) - (
        SELECT coalesce(max(id), 0) FROM events WHERE org_id = '' -- of a restore, after which ids continue
    ) AS events,
    (SELECT count(*) FROM claims WHERE expires_at > :now) AS claims,
    (SELECT count(*) FROM deliveries WHERE state = 'pending') AS deliveries_pending,
    (SELECT count(*) FROM search_backlog) AS search_backlog,
    (SELECT count(*) FROM files WHERE lost_since IS NOT NULL) AS lost_files
