-- A page of the questions of an organization, newest first; of cards that are archived or done none counts as open.
WITH page AS MATERIALIZED (
    -- One branch finds something: the one whose index serves the filters that are given.
    SELECT q.comment_id, q.created_at
    FROM questions AS q
    WHERE :state IS NULL AND q.org_id = :org_id
    UNION ALL
    SELECT q.comment_id, q.created_at
    FROM questions AS q
    WHERE :state <> 'open' AND q.org_id = :org_id AND q.state = :state
    UNION ALL
    SELECT q.comment_id, q.created_at
    FROM questions AS q
    JOIN cards AS c ON c.id = q.card_id AND c.archived_at IS NULL
    JOIN columns AS l ON l.id = c.column_id AND l.column_type <> 'done'
    WHERE :state = 'open' AND q.org_id = :org_id AND q.state = 'open'
    ORDER BY 2 DESC, 1 DESC
    LIMIT :limit OFFSET :offset
)

SELECT
    q.comment_id,
    q.card_id,
    p.key || '-' || c.number AS card_key,
    c.title,
    q.agent_id,
    m.content,
    q.state,
    q.options,
    q.created_at,
    q.answered_by,
    q.answered_at,
    a.content AS answer
FROM page
CROSS JOIN questions AS q ON q.comment_id = page.comment_id
CROSS JOIN comments AS m ON m.id = q.comment_id
CROSS JOIN cards AS c ON c.id = q.card_id
CROSS JOIN projects AS p ON p.id = c.project_id
LEFT JOIN comments AS a ON a.id = q.answer_id
ORDER BY page.created_at DESC, page.comment_id DESC
