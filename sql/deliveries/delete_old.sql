-- Delete some finished deliveries of a webhook and keep the newest.
DELETE FROM deliveries
WHERE
    id IN (
        SELECT id
        FROM deliveries
        WHERE
            webhook_id = :webhook_id
            AND state <> 'pending'
            AND event_id <= (
                SELECT event_id
                FROM deliveries
                WHERE webhook_id = :webhook_id
                ORDER BY event_id DESC
                LIMIT 1 OFFSET :keep_count
            )
        ORDER BY event_id
        LIMIT :limit
    )
