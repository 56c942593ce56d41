-- The first of the newest events that others caused on cards after an event, and how many of them there are.
SELECT min(id) AS first_id, count(*) AS count
FROM (
    SELECT e.id
    FROM events AS e
    WHERE
        e.org_id = :org_id
        AND e.id > :since
        AND e.card_id IS NOT NULL
        AND (e.actor_type, e.actor_id) <> (:reader_type, :reader_id)
        AND e.type NOT IN ('card.ranked', 'card.claimed', 'card.released', 'claim.ended', 'agent.refused')
    ORDER BY e.id DESC
    LIMIT :limit
)
