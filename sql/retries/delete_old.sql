-- Drop some of the answers that are too old: more than come in, and never so many that a write takes long.
DELETE FROM retries
WHERE id IN (
    SELECT r.id
    FROM retries AS r
    WHERE r.created_at <= :since
    ORDER BY r.created_at
    LIMIT 20
)
