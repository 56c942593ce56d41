-- A page of the questions of an organization, newest first. No question on a done or archived card counts as open.
WITH page AS MATERIALIZED (
    -- Only one branch returns rows: the one with the best index for the given filters.
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
    JOIN columns AS col ON col.id = c.column_id AND col.column_type <> 'done'
    WHERE :state = 'open' AND q.org_id = :org_id AND q.state = 'open'
    ORDER BY 2 DESC, 1 DESC
    LIMIT :limit OFFSET :offset
)

SELECT
    q.comment_id,
    q.card_id,
    q.card_key,
    q.title,
    q.agent_id,
    q.content,
    q.state,
    q.options,
    q.created_at,
    q.answered_by,
    q.answered_at,
    q.answer
FROM page
CROSS JOIN question_details AS q ON q.comment_id = page.comment_id
ORDER BY page.created_at DESC, page.comment_id DESC
