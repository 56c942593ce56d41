-- The last event that list_events would scan with the same limit, and how many events it would scan.
SELECT max(id) AS last_id, count(*) AS count
FROM (
    SELECT e.id
    FROM card_news AS e
    WHERE
        e.org_id = :org_id
        AND e.id > :since
        AND (e.actor_type, e.actor_id) <> (:reader_type, :reader_id)
    ORDER BY e.id
    LIMIT :limit
)
