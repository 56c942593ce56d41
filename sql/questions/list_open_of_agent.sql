-- The open questions of an agent, newest first. No question on a done or archived card counts as open.
WITH open_questions AS MATERIALIZED (
    SELECT comment_id
    FROM questions
    WHERE org_id = :org_id AND agent_id = :agent_id AND state = 'open'
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
    NULL AS answer
FROM open_questions
CROSS JOIN question_details AS q ON q.comment_id = open_questions.comment_id
CROSS JOIN columns AS col ON col.id = q.column_id
WHERE q.card_archived_at IS NULL AND col.column_type <> 'done'
ORDER BY q.created_at DESC, q.comment_id DESC
LIMIT :limit
