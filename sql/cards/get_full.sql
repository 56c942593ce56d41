-- One card with its field values and relationships, and what its authorization policies check.
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
LEFT JOIN encoded_claims AS k ON k.card_id = c.id
WHERE c.id = :card_id
