-- The newest open question of a card, or else its last one.
WITH found AS MATERIALIZED (
    SELECT comment_id
    FROM (
        SELECT comment_id
        FROM questions
        WHERE card_id = :card_id AND state = 'open'
        ORDER BY created_at DESC, comment_id DESC
        LIMIT 1
    )
    UNION ALL
    SELECT comment_id
    FROM (
        SELECT comment_id
        FROM questions
        WHERE card_id = :card_id
        ORDER BY created_at DESC, comment_id DESC
        LIMIT 1
    )
    LIMIT 1
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
FROM found
CROSS JOIN question_details AS q ON q.comment_id = found.comment_id
