-- The open questions of agents that somebody can answer, the longest waiting first, with their number.
WITH page AS MATERIALIZED (
    SELECT q.comment_id, q.created_at, q.card_id, q.agent_id, count(*) OVER () AS total
    FROM questions AS q
    JOIN cards AS c ON c.id = q.card_id AND c.archived_at IS NULL
    JOIN columns AS col ON col.id = c.column_id AND col.column_type <> 'done'
    JOIN card_types AS t ON t.id = c.card_type_id AND t.comments_enabled
    WHERE q.org_id = :org_id AND q.state = 'open'
    ORDER BY q.created_at, q.card_id, q.agent_id
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
    page.comment_id,
    m.content,
    q.options,
    page.total
FROM page
CROSS JOIN questions AS q ON q.comment_id = page.comment_id
CROSS JOIN keyed_cards AS c ON c.id = page.card_id
LEFT JOIN comments AS m ON m.id = page.comment_id
LEFT JOIN agents AS a ON a.org_id = :org_id AND a.id = page.agent_id
ORDER BY page.created_at, page.card_id, page.agent_id
