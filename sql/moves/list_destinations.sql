-- The columns that a card can move to, or one given column, with what each requires and how full it is.
SELECT
    col.id,
    col.title,
    col.wip_limit,
    col.rejects_blocked,
    col.column_type,
    col.agent_pickup_enabled,
    t.id AS transition_id,
    t.requires_approval,
    (
        SELECT json_group_array(json_object('id', id, 'name', name, 'label', label))
        FROM (
            SELECT f.id, f.name, f.label
            FROM (
                SELECT value AS field_id
                FROM json_each(col.required_field_ids)
                UNION
                SELECT id
                FROM fields
                WHERE card_type_id = :card_type_id AND required = 1 AND col.position > 0
            ) AS needed
            CROSS JOIN fields AS f ON f.id = needed.field_id
            WHERE f.card_type_id = :card_type_id
            ORDER BY f.position, f.id
        )
    ) AS required_fields,
    col.card_count AS held,
    (SELECT max(c.rank_key) FROM cards AS c WHERE c.column_id = col.id AND c.archived_at IS NULL) AS last_rank_key
FROM (
    SELECT :to_column_id AS column_id
    UNION ALL
    SELECT to_column_id
    FROM transitions
    WHERE :to_column_id IS NULL AND from_column_id = :from_column_id AND archived_at IS NULL
) AS targets
CROSS JOIN columns AS col ON col.id = targets.column_id
LEFT JOIN transitions AS t
    ON t.from_column_id = :from_column_id AND t.to_column_id = col.id AND t.archived_at IS NULL
WHERE col.org_id = :org_id AND col.archived_at IS NULL
ORDER BY col.position, col.id
