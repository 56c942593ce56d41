-- Cards created and closed in the time window, and their mean cycle time in hours.
SELECT
    (
        SELECT count(*)
        FROM cards
        WHERE
            org_id = :org_id
            AND created_at >= :window_from
            AND created_at < :window_to
            AND (:project_id IS NULL OR project_id = :project_id)
    ) AS cards_created,
    count(*) AS cards_closed,
    coalesce(
        avg(h.column_changed_ms - round((julianday(c.created_at) - 2440587.5) * 86400000)) / 3600000, 0.0
    ) AS average_cycle_time_hours
FROM columns AS col
CROSS JOIN history AS h ON h.to_column_id = col.id
CROSS JOIN cards AS c ON c.id = h.card_id
WHERE
    col.org_id = :org_id
    AND col.column_type = 'done'
    AND (:project_id IS NULL OR col.project_id = :project_id)
    AND h.column_changed_ms >= :since
    AND h.column_changed_ms < :until
    AND h.column_change = 'moved'
