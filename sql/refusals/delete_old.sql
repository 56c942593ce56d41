-- Forget some of what is long ago, the oldest first.
DELETE FROM refusals
WHERE id IN (
    SELECT r.id
    FROM refusals AS r
    WHERE r.last_at < :before
    ORDER BY r.last_at
    LIMIT :limit
)
