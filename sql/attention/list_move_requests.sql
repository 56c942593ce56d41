-- The open move requests, the longest waiting first, with their number.
WITH page AS MATERIALIZED (
    SELECT
        r.id,
        r.created_at,
        r.card_id,
        r.requested_by ->> '$.id' AS agent_id,
        col.title AS column_title,
        count(*) OVER () AS total
    FROM move_requests AS r
    JOIN cards AS c ON c.id = r.card_id
    JOIN columns AS col ON col.id = r.to_column_id AND col.archived_at IS NULL
    WHERE r.org_id = :org_id AND r.state = 'open'
    ORDER BY r.created_at, r.card_id, agent_id
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
    page.id AS request_id,
    r.from_column_id,
    r.to_column_id,
    r.note,
    page.total
FROM page
CROSS JOIN move_requests AS r ON r.id = page.id
CROSS JOIN keyed_cards AS c ON c.id = page.card_id
LEFT JOIN agents AS a ON a.org_id = :org_id AND a.id = page.agent_id
ORDER BY page.created_at, page.card_id, page.agent_id
