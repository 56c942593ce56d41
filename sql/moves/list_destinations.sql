-- A column as a card sees it that would move there, or all columns it has a way to: what each asks for, how full it is.
SELECT
    l.id,
    l.title,
    l.wip_limit,
    l.rejects_blocked,
    l.column_type,
    l.agent_pickup_enabled,
    t.id AS transition_id,
    t.requires_approval,
    (
        SELECT json_group_array(json_object('id', id, 'name', name, 'label', label))
        FROM (
            SELECT f.id, f.name, f.label
            FROM fields AS f
            WHERE
                f.card_type_id = :card_type_id
                AND (
                    (l.required_field_ids <> '[]' AND f.id IN (SELECT value FROM json_each(l.required_field_ids)))
                    OR (f.required = 1 AND l.position > 0)
                )
                AND NOT EXISTS (
                    SELECT 1 FROM field_values AS v WHERE v.card_id = :card_id AND v.field_id = f.id
                )
            ORDER BY f.position, f.id
        )
    ) AS missing_fields,
    l.card_count AS held,
    (SELECT max(c.rank_key) FROM cards AS c WHERE c.column_id = l.id AND c.archived_at IS NULL) AS last_rank_key
FROM (
    SELECT :to_column_id AS column_id
    UNION ALL
    SELECT e.to_column_id
    FROM transitions AS e
    WHERE :to_column_id IS NULL AND e.from_column_id = :from_column_id AND e.archived_at IS NULL
) AS asked
CROSS JOIN columns AS l ON l.id = asked.column_id
LEFT JOIN transitions AS t
    ON t.from_column_id = :from_column_id AND t.to_column_id = l.id AND t.archived_at IS NULL
WHERE l.org_id = :org_id AND l.archived_at IS NULL
ORDER BY l.position, l.id
