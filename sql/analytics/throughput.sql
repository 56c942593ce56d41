-- How many cards were created and closed in the window, and the mean hours from the one to the other.
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
        avg(p.column_changed_ms - round((julianday(c.created_at) - 2440587.5) * 86400000)) / 3600000, 0.0
    ) AS average_cycle_time_hours
FROM columns AS l
CROSS JOIN history AS p ON p.to_column_id = l.id
CROSS JOIN cards AS c ON c.id = p.card_id
WHERE
    l.org_id = :org_id
    AND l.column_type = 'done'
    AND (:project_id IS NULL OR l.project_id = :project_id)
    AND p.column_changed_ms >= :since
    AND p.column_changed_ms < :until
    AND p.column_change = 'moved'
