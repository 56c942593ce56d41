-- Delete the old events of a page of the log; the newest old one of each organization stays, since its log begins there.
DELETE FROM events
WHERE
    id IN (
        SELECT e.id
        FROM (SELECT id, org_id FROM events WHERE id > :after ORDER BY id LIMIT :limit) AS e
        WHERE (
            SELECT n.created_at
            FROM events AS n
            WHERE n.org_id = e.org_id AND n.id > e.id
            ORDER BY n.id
            LIMIT 1
        ) < :before
    )
