-- Count the cards on which others caused the newest events after an event; optionally only those that are not seen.
WITH newest AS (
    SELECT e.id, e.card_id
    FROM card_news AS e
    WHERE
        e.org_id = :org_id
        AND e.id > :since
        AND (e.actor_type, e.actor_id) <> (:reader_type, :reader_id)
    ORDER BY e.id DESC
    LIMIT :limit
),

changed AS MATERIALIZED (
    SELECT card_id, max(id) AS event_id
    FROM newest
    GROUP BY card_id
)

SELECT count(*)
FROM changed AS n
CROSS JOIN cards AS c ON c.id = n.card_id
CROSS JOIN projects AS p ON p.id = c.project_id AND p.archived_at IS NULL
WHERE
    NOT :only_unseen
    OR n.event_id > coalesce(
        (
            SELECT s.event_id
            FROM seen AS s
            WHERE
                s.org_id = :org_id
                AND s.reader_type = :reader_type
                AND s.reader_id = :reader_id
                AND s.card_id = n.card_id
        ),
        0
    )
