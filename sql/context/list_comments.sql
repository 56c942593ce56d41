-- The newest comments and replies on a card, newest first.
SELECT
    m.id,
    m.parent_id,
    m.content,
    json_object('type', m.actor_type, 'id', m.actor_id, 'label', m.actor_label) AS actor,
    m.imported,
    m.created_at,
    c.comment_count + c.reply_count AS total
FROM (
    -- Each branch is read in the order of an index, and no further than the limit.
    SELECT id, created_at
    FROM comments
    WHERE card_id = :card_id AND parent_id IS NULL
    UNION ALL
    SELECT id, created_at
    FROM comments
    WHERE card_id = :card_id AND parent_id IS NOT NULL
    ORDER BY created_at DESC, id DESC
    LIMIT :limit
) AS newest
CROSS JOIN comments AS m ON m.id = newest.id
CROSS JOIN cards AS c ON c.id = m.card_id
ORDER BY newest.created_at DESC, newest.id DESC
