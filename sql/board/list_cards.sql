-- The cards of a board in board order as one JSON text, optionally only those in :ids. Empty values are left out.
WITH selected AS MATERIALIZED (
    -- Only one branch returns rows: without ids it reads an index of the columns, otherwise each card by its id.
    SELECT c.id, col.position, c.rank_key
    FROM columns AS col
    CROSS JOIN cards AS c ON c.column_id = col.id
    WHERE :ids IS NULL AND col.project_id = :project_id AND col.archived_at IS NULL AND c.archived_at IS NULL
    UNION ALL
    SELECT c.id, col.position, c.rank_key
    FROM json_each(:ids) AS ids
    CROSS JOIN cards AS c ON c.id = ids.value
    JOIN columns AS col ON col.id = c.column_id
    WHERE :ids IS NOT NULL AND c.project_id = :project_id AND c.archived_at IS NULL AND col.archived_at IS NULL
    ORDER BY 2, 3, 1
),

-- The events that the reader has not seen, neither on the board nor on the card.
unread AS MATERIALIZED (
    SELECT e.card_id, count(*) AS number
    FROM card_news AS e
    LEFT JOIN seen AS s
        ON s.org_id = :org_id
        AND s.reader_type = :reader_type
        AND s.reader_id = :reader_id
        AND s.card_id = e.card_id
    WHERE
        e.org_id = :org_id
        AND e.id > :seen
        AND (e.actor_type, e.actor_id) <> (:reader_type, :reader_id)
        AND e.id > coalesce(s.event_id, 0)
    GROUP BY e.card_id
)

SELECT CAST(group_concat(text, ',') AS BLOB) -- which is not copied again; null if there are none
FROM (
    SELECT
        '{"id":' || json_quote(c.id)
        || ',"key":' || json_quote(p.key || '-' || c.number)
        || ',"number":' || c.number
        || ',"columnId":' || json_quote(c.column_id)
        || ',"cardTypeId":' || json_quote(c.card_type_id)
        || ',"title":' || json_quote(c.title)
        || ',"version":' || c.version
        || ',"updatedAt":' || json_quote(c.updated_at)
        || CASE WHEN c.priority = 'none' THEN '' ELSE ',"priority":' || json_quote(c.priority) END
        || CASE WHEN c.due_date IS NULL THEN '' ELSE ',"dueDate":' || json_quote(c.due_date) END
        || CASE WHEN c.due_all_day THEN ',"dueAllDay":true' ELSE '' END
        || CASE
            WHEN c.due_date IS NULL THEN ''
            WHEN EXISTS (SELECT 1 FROM complete_due_dates AS d WHERE d.card_id = c.id) THEN ',"dueComplete":true'
            ELSE ''
        END
        || CASE
            WHEN c.assigned_agent_id IS NULL THEN ''
            ELSE ',"assignedAgentId":' || json_quote(c.assigned_agent_id)
        END
        || CASE
            WHEN c.assigned_user_id IS NULL THEN ''
            ELSE ',"assignedUserId":' || json_quote(c.assigned_user_id)
        END
        || coalesce(
            (
                SELECT ',"blockedBy":' || nullif(json_group_array(blocking_card_id), '[]')
                FROM (
                    SELECT DISTINCT blocking_card_id
                    FROM open_blockers
                    WHERE blocked_card_id = c.id
                    ORDER BY blocking_card_id
                )
            ),
            ''
        )
        || coalesce(
            (
                SELECT
                    ',"request":' || json_object(
                        'id', m.id,
                        'toColumnId', m.to_column_id,
                        'requestedBy', json(m.requested_by),
                        'note', m.note,
                        'createdAt', m.created_at
                    )
                FROM move_requests AS m
                WHERE m.card_id = c.id AND m.state = 'open'
            ),
            ''
        )
        || coalesce(
            (
                SELECT
                    ',"question":' || json_object(
                        'commentId', q.comment_id,
                        'askedBy', json_object('type', n.actor_type, 'id', n.actor_id, 'label', n.actor_label),
                        'content', n.content,
                        'options', json(q.options),
                        'createdAt', q.created_at
                    )
                FROM questions AS q
                JOIN comments AS n ON n.id = q.comment_id
                WHERE
                    q.card_id = c.id
                    AND q.state = 'open'
                    AND NOT EXISTS (SELECT 1 FROM columns AS d WHERE d.id = c.column_id AND d.column_type = 'done')
                ORDER BY q.created_at, q.comment_id
                LIMIT 1
            ),
            ''
        )
        || coalesce(
            (
                SELECT ',"parentId":' || json_quote(r.to_card_id)
                FROM relationships AS r
                WHERE r.from_card_id = c.id AND r.kind = 'partOf'
            ),
            ''
        )
        || iif(c.part_count > 0, ',"parts":' || json_object('done', c.done_part_count, 'total', c.part_count), '')
        || coalesce(
            (
                SELECT
                    ',"checklist":' || json_object('done', sum(v.checklist_done), 'total', sum(v.checklist_total))
                FROM field_values AS v
                WHERE v.card_id = c.id AND v.checklist_total > 0
                HAVING count(*) > 0
            ),
            ''
        )
        || coalesce(',"comments":' || nullif(c.comment_count + c.reply_count, 0), '')
        || coalesce(',"files":' || nullif(c.file_count, 0), '')
        || coalesce(
            (
                SELECT
                    ',"values":' || nullif(
                        json_group_object(
                            f.id,
                            -- The beginning of a text is enough for a board.
                            json(iif(v.value LIKE '[%', v.value, json_quote(substr(v.value ->> '$', 1, 200))))
                        ),
                        '{}'
                    )
                FROM fields AS f
                CROSS JOIN field_values AS v ON v.card_id = c.id AND v.field_id = f.id
                WHERE f.card_type_id = c.card_type_id AND f.show_on_card = 1
            ),
            ''
        )
        || CASE WHEN u.number IS NULL THEN '' ELSE ',"unread":' || u.number END
        || CASE
            WHEN :ids IS NULL THEN ''
            ELSE ',"afterCardId":' || coalesce(
                    (
                        SELECT json_quote(a.id)
                        FROM cards AS a
                        WHERE
                            a.column_id = c.column_id
                            AND a.archived_at IS NULL
                            AND (a.rank_key, a.id) < (c.rank_key, c.id)
                        ORDER BY a.rank_key DESC, a.id DESC
                        LIMIT 1
                    ),
                    'null'
                )
        END
        || '}' AS text
    FROM selected AS s
    CROSS JOIN cards AS c ON c.id = s.id
    CROSS JOIN projects AS p ON p.id = c.project_id
    LEFT JOIN unread AS u ON u.card_id = s.id
)
