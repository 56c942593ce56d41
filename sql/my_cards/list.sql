-- A page of the active cards of a person: by due date, then by priority; done ones last changed first.
WITH selected AS MATERIALIZED (
    SELECT c.id
    FROM cards AS c
    CROSS JOIN columns AS col ON col.id = c.column_id
    WHERE
        c.assigned_user_id = :user_id
        AND c.org_id = :org_id
        AND c.archived_at IS NULL
        AND (:state = 'all' OR (:state = 'done') = (col.column_type = 'done'))
    ORDER BY
        CASE WHEN :state = 'done' THEN c.updated_at END DESC,
        c.due_order,
        c.urgency,
        c.rank_key,
        c.id
    LIMIT :limit OFFSET :offset
)

SELECT
    c.id,
    json_object(
        'dueComplete', json(
            iif(EXISTS (SELECT 1 FROM complete_due_dates AS d WHERE d.card_id = c.id), 'true', 'false')
        ),
        'board', json_object('id', p.id, 'key', p.key, 'title', p.title),
        'column', json_object('id', col.id, 'title', col.title, 'columnType', col.column_type)
    ) AS location
FROM selected
CROSS JOIN cards AS c ON c.id = selected.id
CROSS JOIN columns AS col ON col.id = c.column_id
CROSS JOIN projects AS p ON p.id = c.project_id
ORDER BY
    CASE WHEN :state = 'done' THEN c.updated_at END DESC,
    c.due_order,
    c.urgency,
    c.rank_key,
    c.id
