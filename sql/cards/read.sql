-- One card with its field values and its rank, which is how many active cards are above it.
SELECT
    c.id,
    c.org_id,
    c.project_id,
    c.column_id,
    c.card_type_id,
    c.title,
    c.assigned_agent_id,
    c.assigned_user_id,
    c.priority,
    c.due_date,
    c.version,
    (
        SELECT count(*)
        FROM cards AS o
        WHERE
            o.column_id = c.column_id
            AND o.archived_at IS NULL
            AND (o.rank_key, o.id) < (c.rank_key, c.id)
    ) AS rank,
    c.created_by,
    c.created_at,
    c.updated_at,
    c.archived_at,
    (
        SELECT json_group_array(json_object('fieldId', v.field_id, 'value', json(v.value)))
        FROM (
            SELECT w.field_id, w.value
            FROM field_values AS w
            JOIN fields AS f ON f.id = w.field_id
            WHERE w.card_id = c.id
            ORDER BY f.position, f.id
        ) AS v
    ) AS field_values
FROM cards AS c
WHERE c.id = :card_id
