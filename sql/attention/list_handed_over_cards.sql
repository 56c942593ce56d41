-- The cards that agents moved to where only people move them on, the longest waiting first, with their number.
WITH page AS MATERIALIZED (
    SELECT
        h.created_at,
        c.id,
        h.actor_id AS agent_id,
        h.from_column_id,
        col.title AS column_title,
        count(*) OVER () AS total
    FROM columns_without_way_out AS col
    CROSS JOIN cards AS c ON c.column_id = col.id
    CROSS JOIN history AS h ON h.card_id = c.id AND h.actor_type = 'Agent' AND h.column_change = 'moved'
    WHERE
        col.org_id = :org_id
        AND c.archived_at IS NULL
        -- This move brought the card to its column. Since then, no user changed it and no approval was requested.
        AND h.to_column_id = col.id
        AND NOT EXISTS (
            SELECT 1
            FROM history AS later
            WHERE
                later.card_id = c.id
                AND (later.created_at, later.id) > (h.created_at, h.id)
                AND (later.actor_type = 'User' OR later.column_change IS NOT NULL)
        )
        AND NOT EXISTS (SELECT 1 FROM move_requests AS r WHERE r.card_id = c.id AND r.created_at >= h.created_at)
    ORDER BY h.created_at, c.id, h.actor_id
    LIMIT :limit
)

SELECT
    page.created_at AS since,
    c.id AS card_id,
    c.key AS card_key,
    c.title AS card_title,
    c.project_id,
    c.column_id,
    page.agent_id,
    a.title AS agent_title,
    page.column_title,
    page.from_column_id,
    page.total
FROM page
CROSS JOIN keyed_cards AS c ON c.id = page.id
LEFT JOIN agents AS a ON a.org_id = :org_id AND a.id = page.agent_id
ORDER BY page.created_at, page.id, page.agent_id
