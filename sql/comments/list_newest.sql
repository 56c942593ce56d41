-- A page of the comments of a card with the first replies to each, newest first.
SELECT
    r.id,
    r.content,
    json_object('type', r.actor_type, 'id', r.actor_id, 'label', r.actor_label) AS actor,
    (
        SELECT json_group_array(json_object(
            'id', a.id,
            'content', a.content,
            'actor', json_object('type', a.actor_type, 'id', a.actor_id, 'label', a.actor_label),
            'replies', json_array(),
            'repliesTotal', 0,
            'asks', NULL,
            'mentions', json(CASE
                WHEN a.mentions IS NULL THEN '[]'
                ELSE (
                        SELECT json_group_array(json_object('type', n.type, 'id', n.id, 'label', n.label))
                        FROM comment_mentions AS n
                        WHERE n.comment_id = a.id AND n.label IS NOT NULL
                    )
            END),
            'imported', json(iif(a.imported, 'true', 'false')),
            'createdAt', a.created_at
        ))
        FROM (
            SELECT id, content, actor_type, actor_id, actor_label, mentions, imported, created_at
            FROM comments
            WHERE parent_id = r.id
            ORDER BY created_at, id
            LIMIT 100
        ) AS a
    ) AS replies,
    r.reply_count AS replies_total,
    CASE
        WHEN q.comment_id IS NOT NULL THEN json_object(
                'state', q.state,
                'options', json(q.options),
                'answeredBy', json(q.answered_by),
                'answeredAt', q.answered_at
            )
    END AS asks,
    CASE
        WHEN r.mentions IS NULL THEN '[]'
        ELSE (
                SELECT json_group_array(json_object('type', n.type, 'id', n.id, 'label', n.label))
                FROM comment_mentions AS n
                WHERE n.comment_id = r.id AND n.label IS NOT NULL
            )
    END AS mentions,
    r.imported,
    r.created_at
FROM comments AS r
LEFT JOIN questions AS q ON q.comment_id = r.id
WHERE r.card_id = :card_id AND r.parent_id IS NULL
ORDER BY r.created_at DESC, r.id DESC
LIMIT :limit OFFSET :offset
