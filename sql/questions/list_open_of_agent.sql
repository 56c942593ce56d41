-- The questions of an agent that nobody has answered, newest first; of cards that are archived or done none counts as open.
WITH asked AS MATERIALIZED (
    SELECT comment_id
    FROM questions
    WHERE org_id = :org_id AND agent_id = :agent_id AND state = 'open'
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
    NULL AS answer
FROM asked
CROSS JOIN questions AS q ON q.comment_id = asked.comment_id
CROSS JOIN cards AS c ON c.id = q.card_id AND c.archived_at IS NULL
CROSS JOIN columns AS l ON l.id = c.column_id AND l.column_type <> 'done'
CROSS JOIN projects AS p ON p.id = c.project_id
CROSS JOIN comments AS m ON m.id = q.comment_id
ORDER BY q.created_at DESC, q.comment_id DESC
LIMIT :most
