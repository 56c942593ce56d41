-- Delete some old rows of denied requests, oldest first.
DELETE FROM refusals
WHERE id IN (
    SELECT r.id
    FROM refusals AS r
    WHERE r.last_at < :before
    ORDER BY r.last_at
    LIMIT :limit
)
