-- Count the events after an event by type, with the time of the last one.
SELECT type, count(*) AS count, max(created_at) AS last_at
FROM events
WHERE id > :event_id
GROUP BY type
ORDER BY type
