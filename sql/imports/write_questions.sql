-- Insert the question of a comment of a snapshot. An existing one stays unchanged.
INSERT INTO questions (
    comment_id, org_id, card_id, agent_id, options, state, answer_id, answered_by, answered_at, answer_seen, created_at
)
SELECT
    m.id,
    m.org_id,
    m.card_id,
    m.actor_id,
    :options,
    -- An agent has at most one open question on a card, and it may have asked another one meanwhile.
    CASE
        WHEN
            :state = 'open' AND EXISTS (
                SELECT 1
                FROM questions AS other
                WHERE other.card_id = m.card_id AND other.agent_id = m.actor_id AND other.state = 'open'
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
