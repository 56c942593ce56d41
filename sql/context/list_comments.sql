-- The newest comments and replies on a card, newest first.
SELECT
    m.id,
    m.parent_id,
    m.content,
    json_object('type', m.actor_type, 'id', m.actor_id, 'label', m.actor_label) AS actor,
    m.imported,
    m.created_at,
    c.comment_count + c.reply_count AS total
FROM comments AS m
CROSS JOIN cards AS c ON c.id = m.card_id
WHERE m.card_id = :card_id
ORDER BY m.created_at DESC, m.id DESC
LIMIT :limit
