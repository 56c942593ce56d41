-- When the last thing happened, by the clock of then.
SELECT created_at
FROM events
ORDER BY id DESC
LIMIT 1
