-- The question that a comment of a snapshot asks; one that is there stays as it is.
INSERT INTO questions (
    comment_id, org_id, card_id, agent_id, options, state, answer_id, answered_by, answered_at, answer_seen, created_at
)
SELECT
    m.id,
    m.org_id,
    m.card_id,
    m.actor_id,
    :options,
    -- One open question a card and agent: another one was asked here meanwhile.
    CASE
        WHEN
            :state = 'open' AND EXISTS (
                SELECT 1
                FROM questions AS o
                WHERE o.card_id = m.card_id AND o.agent_id = m.actor_id AND o.state = 'open'
            )
            THEN 'withdrawn'
        ELSE :state
    END,
    :answer_id,
    :answered_by,
    :answered_at,
    :taken_up,
    m.created_at
FROM comments AS m
WHERE m.id = :comment_id
ON CONFLICT (comment_id) DO NOTHING
