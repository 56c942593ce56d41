-- The open question of a card, or else its last one.
SELECT
    comment_id,
    card_id,
    card_key,
    title,
    agent_id,
    content,
    state,
    options,
    created_at,
    answered_by,
    answered_at,
    answer
FROM question_details
WHERE card_id = :card_id
ORDER BY state = 'open' DESC, created_at DESC, comment_id DESC
LIMIT 1
