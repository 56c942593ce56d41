-- Views for what several statements read in the same way.
BEGIN;

-- Columns that only people move cards on from: agents have no open way out of them.
CREATE VIEW columns_without_way_out AS
SELECT col.id, col.org_id, col.title
FROM columns AS col
JOIN projects AS p ON p.id = col.project_id AND p.archived_at IS NULL
WHERE
    col.archived_at IS NULL
    AND col.column_type <> 'done'
    AND (
        NOT (col.agent_pickup_enabled AND col.agent_can_moderate)
        OR NOT EXISTS (
            SELECT 1
            FROM transitions AS t
            WHERE t.from_column_id = col.id AND t.archived_at IS NULL AND t.requires_approval = 0
        )
    );

-- Cards whose due date still matters.
CREATE VIEW open_due_cards AS
SELECT c.id, c.org_id, c.project_id, c.assigned_agent_id, c.due_date, c.due_order, c.due_all_day
FROM cards AS c
JOIN columns AS col ON col.id = c.column_id
WHERE
    c.archived_at IS NULL
    AND c.due_date IS NOT NULL
    AND col.column_type <> 'done'
    AND NOT EXISTS (SELECT 1 FROM complete_due_dates AS d WHERE d.card_id = c.id);

-- Cards with their field values and relationships, and what their authorization policies check.
CREATE VIEW card_details AS
SELECT
    c.id,
    c.org_id,
    c.project_id,
    c.number,
    p.key || '-' || c.number AS key,
    c.column_id,
    c.card_type_id,
    c.title,
    c.assigned_agent_id,
    c.assigned_user_id,
    c.priority,
    c.due_date,
    c.due_all_day,
    c.version,
    -- Most cards have neither relationships nor field values; for these, CASE avoids a sort.
    CASE
        WHEN NOT EXISTS (SELECT 1 FROM open_blockers AS r WHERE r.blocked_card_id = c.id) THEN '[]'
        ELSE (
                SELECT json_group_array(blocking_card_id)
                FROM (
                    SELECT DISTINCT blocking_card_id
                    FROM open_blockers
                    WHERE blocked_card_id = c.id
                    ORDER BY blocking_card_id
                )
            )
    END AS blocked_by,
    (
        SELECT json_object('done', sum(v.checklist_done), 'total', sum(v.checklist_total))
        FROM field_values AS v
        WHERE v.card_id = c.id AND v.checklist_total > 0
        HAVING count(*) > 0
    ) AS checklist,
    c.created_by,
    c.created_at,
    c.updated_at,
    c.archived_at,
    CASE
        WHEN NOT EXISTS (SELECT 1 FROM field_values AS v WHERE v.card_id = c.id) THEN '[]'
        ELSE (
                SELECT json_group_array(json_object('fieldId', v.field_id, 'value', json(v.value)))
                FROM (
                    SELECT w.field_id, w.value
                    FROM field_values AS w
                    JOIN fields AS f ON f.id = w.field_id
                    WHERE w.card_id = c.id
                    ORDER BY f.position, f.id
                ) AS v
            )
    END AS field_values,
    CASE
        WHEN NOT EXISTS (SELECT 1 FROM field_values AS v WHERE v.card_id = c.id AND v.mentions IS NOT NULL) THEN '[]'
        ELSE (
                SELECT json_group_array(json_object('type', n.type, 'id', n.id, 'label', n.label))
                FROM (
                    SELECT DISTINCT type, id, label
                    FROM card_mentions
                    WHERE card_id = c.id AND label IS NOT NULL
                    ORDER BY label, id
                ) AS n
            )
    END AS mentions,
    (
        SELECT json_object('id', b.id, 'key', q.key || '-' || b.number, 'title', b.title)
        FROM relationships AS r
        JOIN cards AS b ON b.id = r.to_card_id
        JOIN projects AS q ON q.id = b.project_id
        WHERE r.from_card_id = c.id AND r.kind = 'partOf'
    ) AS parent,
    CASE
        WHEN c.part_count > 0 THEN json_object('done', c.done_part_count, 'total', c.part_count)
    END AS parts,
    k.claim,
    p.archived_at AS project_archived_at,
    col.agent_pickup_enabled,
    col.agent_can_moderate,
    t.comments_enabled,
    t.files_enabled,
    t.archived_at AS card_type_archived_at
FROM cards AS c
JOIN projects AS p ON p.id = c.project_id
JOIN columns AS col ON col.id = c.column_id
JOIN card_types AS t ON t.id = c.card_type_id
LEFT JOIN encoded_claims AS k ON k.card_id = c.id;

-- Card types with their fields.
CREATE VIEW card_type_details AS
SELECT
    t.id,
    t.org_id,
    t.project_id,
    t.title,
    t.color,
    t.comments_enabled,
    t.files_enabled,
    t.created_at,
    t.archived_at,
    (
        SELECT json_group_array(json_object(
            'id', f.id,
            'cardTypeId', f.card_type_id,
            'name', f.name,
            'label', f.label,
            'kind', f.kind,
            'required', json(iif(f.required, 'true', 'false')),
            'options', json(f.options),
            'order', f.position,
            'validation', f.validation,
            'multiple', json(iif(f.multiple, 'true', 'false')),
            'showOnCard', json(iif(f.show_on_card, 'true', 'false')),
            'optionColors', json(f.option_colors),
            'createdAt', f.created_at
        ))
        FROM (
            SELECT
                id, card_type_id, name, label, kind, required, options, position, validation, multiple,
                show_on_card, option_colors, created_at
            FROM fields
            WHERE card_type_id = t.id
            ORDER BY position, id
        ) AS f
    ) AS fields
FROM card_types AS t;

-- Comments that are not replies, with the first replies to each.
CREATE VIEW comment_threads AS
SELECT
    r.id,
    r.card_id,
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
WHERE r.parent_id IS NULL;

PRAGMA user_version = 65;
COMMIT;
