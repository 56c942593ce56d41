-- Whether the log has all events since a time: one from before it, or the very first event.
SELECT 1
FROM events
WHERE id = (SELECT min(e.id) FROM events AS e) AND (created_at <= :since OR id = 1)
