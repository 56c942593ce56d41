-- The cards whose move was rejected where only people move them on, the longest waiting first, with their number.
WITH page AS MATERIALIZED (
    SELECT
        r.id,
        r.decided_at,
        r.card_id,
        r.requested_by ->> '$.id' AS agent_id,
        col.title AS column_title,
        count(*) OVER () AS total
    FROM columns_without_way_out AS col
    CROSS JOIN cards AS c ON c.column_id = col.id
    CROSS JOIN move_requests AS r ON r.card_id = c.id AND r.state = 'rejected' AND r.from_column_id = col.id
    WHERE
        col.org_id = :org_id
        AND c.archived_at IS NULL
        -- The rejection left the card here. Since then, no user changed it and no approval was requested.
        AND NOT EXISTS (
            SELECT 1
            FROM history AS later
            WHERE
                later.card_id = c.id
                AND later.created_at > r.decided_at
                AND (later.actor_type = 'User' OR later.column_change IS NOT NULL)
        )
        AND NOT EXISTS (
            SELECT 1
            FROM move_requests AS n
            WHERE n.card_id = c.id AND (n.created_at, n.id) > (r.created_at, r.id)
        )
    ORDER BY r.decided_at, r.card_id, agent_id
    LIMIT :limit
)

SELECT
    page.decided_at AS since,
    c.id AS card_id,
    c.key AS card_key,
    c.title AS card_title,
    c.project_id,
    c.column_id,
    page.agent_id,
    a.title AS agent_title,
    page.column_title,
    r.from_column_id,
    r.to_column_id,
    r.decision_note AS note,
    page.total
FROM page
CROSS JOIN move_requests AS r ON r.id = page.id
CROSS JOIN keyed_cards AS c ON c.id = page.card_id
LEFT JOIN agents AS a ON a.org_id = :org_id AND a.id = page.agent_id
ORDER BY page.decided_at, page.card_id, page.agent_id
