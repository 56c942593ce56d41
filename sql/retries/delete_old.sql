-- Delete some expired responses: more than are added at a time, but few enough for a short write.
DELETE FROM retries
WHERE id IN (
    SELECT r.id
    FROM retries AS r
    WHERE r.created_at <= :since
    ORDER BY r.created_at
    LIMIT 20
)
