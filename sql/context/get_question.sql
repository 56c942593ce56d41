-- The open question of a card, else the last one.
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
FROM questions AS q
JOIN comments AS m ON m.id = q.comment_id
JOIN cards AS c ON c.id = q.card_id
JOIN projects AS p ON p.id = c.project_id
LEFT JOIN comments AS a ON a.id = q.answer_id
WHERE q.card_id = :card_id
ORDER BY q.state = 'open' DESC, q.created_at DESC, q.comment_id DESC
LIMIT 1
