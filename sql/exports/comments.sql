-- The comments of an organization for a snapshot, card by card in index order, each comment before its replies.
SELECT
    json_object(
        'id', m.id,
        'cardId', m.card_id,
        'parentId', m.parent_id,
        'content', m.content,
        'actor', json_object('type', m.actor_type, 'id', m.actor_id, 'label', m.actor_label),
        'asks', CASE
            WHEN q.comment_id IS NOT NULL THEN json_object(
                    'state', q.state,
                    'options', json(q.options),
                    'answerId', q.answer_id,
                    'answeredBy', json(q.answered_by),
                    'answeredAt', q.answered_at,
                    'takenUp', json(iif(q.answer_seen, 'true', 'false'))
                )
        END,
        'mentions', (
            SELECT json_group_array(json_object('type', n.value ->> 0, 'id', n.value ->> 1))
            FROM json_each(m.mentions) AS n
        ),
        'imported', json(iif(m.imported, 'true', 'false')),
        'createdAt', m.created_at
    ) AS row
FROM cards AS c
CROSS JOIN comments AS m ON m.card_id = c.id
LEFT JOIN questions AS q ON q.comment_id = m.id
WHERE c.org_id = :org_id
ORDER BY c.archived_at, c.rank_key, c.id, m.parent_id, m.created_at, m.id
