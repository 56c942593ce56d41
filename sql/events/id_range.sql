-- The first event that is kept and the last one there is, whosever they are.
SELECT (SELECT min(id) FROM events) AS first_id, (SELECT max(id) FROM events) AS last_id
