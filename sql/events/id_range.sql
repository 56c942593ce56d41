-- The first and the last event id in the log, of all organizations.
SELECT (SELECT min(id) FROM events) AS first_id, (SELECT max(id) FROM events) AS last_id
