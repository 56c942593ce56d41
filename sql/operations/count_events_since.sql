-- What happened after an event, by kind.
SELECT type, count(*) AS count, max(created_at) AS last_at
FROM events
WHERE id > :event_id
GROUP BY type
ORDER BY type
