-- The newest events that an agent caused on cards after an event as a JSON array, newest first, and their count.
WITH found AS MATERIALIZED (
    SELECT e.id
    FROM events AS e
    WHERE
        e.org_id = :org_id
        AND e.id > :since
        AND e.actor_type = 'Agent'
        AND e.actor_id = :agent_id
        AND e.card_id IS NOT NULL
        AND e.type <> 'agent.refused'
    ORDER BY e.id DESC
    LIMIT :limit
)

SELECT
    count(*) AS count,
    '[' || coalesce(group_concat(text, ','), '') || ']' AS items
FROM (SELECT e.text FROM found AS f CROSS JOIN encoded_events AS e ON e.id = f.id ORDER BY f.id DESC)
