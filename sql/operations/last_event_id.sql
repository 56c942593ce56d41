-- The last thing that happened.
SELECT coalesce(max(id), 0) AS id
FROM events
