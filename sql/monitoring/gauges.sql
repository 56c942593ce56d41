-- The values of gauges over all organizations.
SELECT
    (SELECT max(id) FROM events) AS events,
    (SELECT count(*) FROM claims WHERE expires_at > :now) AS claims,
    (SELECT count(*) FROM deliveries WHERE state = 'pending') AS deliveries_pending,
    (SELECT count(*) FROM search_backlog) AS search_backlog
