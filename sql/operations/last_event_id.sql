-- The id of the last event.
SELECT coalesce(max(id), 0) AS id
FROM events
