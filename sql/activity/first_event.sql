-- The first of the newest events that others caused on cards after an event, and how many of them there are.
SELECT min(id) AS first_id, count(*) AS count
FROM (
    SELECT e.id
    FROM card_news AS e
    WHERE
        e.org_id = :org_id
        AND e.id > :since
        AND (e.actor_type, e.actor_id) <> (:reader_type, :reader_id)
    ORDER BY e.id DESC
    LIMIT :limit
)
