-- Forget what is long ago.
DELETE FROM refusals
WHERE last_at < :before
