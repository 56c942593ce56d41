-- The last event of a page of the log, if the page has old events.
SELECT max(id)
FROM (SELECT id, created_at FROM events WHERE id > :after ORDER BY id LIMIT :limit)
HAVING min(created_at) < :before
