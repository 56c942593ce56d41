-- Per active column: cards that entered in the window, and the mean hours that stays lasted inside it.
-- Stays are not paired up: a card counts from its coming to the end of the window, and its leaving takes the rest back.
WITH passed AS MATERIALIZED (
    SELECT
        l.id,
        l.project_id,
        l.position,
        (
            SELECT count(*)
            FROM history AS p
            WHERE p.to_column_id = l.id AND p.column_changed_ms < :since
        ) - (
            SELECT count(*)
            FROM history AS p
            WHERE p.from_column_id = l.id AND p.column_changed_ms <= :since
        ) AS here_before,
        (
            SELECT count(*)
            FROM history AS p
            WHERE p.to_column_id = l.id AND p.column_changed_ms >= :since AND p.column_changed_ms < :until
        ) AS came,
        (
            SELECT count(*)
            FROM history AS p
            WHERE p.to_column_id = l.id AND p.column_changed_ms >= :since AND p.column_changed_ms < :until AND p.column_change = 'returned'
        ) AS returned,
        (
            SELECT coalesce(sum(:until - p.column_changed_ms), 0)
            FROM history AS p
            WHERE p.to_column_id = l.id AND p.column_changed_ms >= :since AND p.column_changed_ms < :until
        ) AS gained,
        (
            SELECT coalesce(sum(:until - p.column_changed_ms), 0)
            FROM history AS p
            WHERE p.from_column_id = l.id AND p.column_changed_ms > :since AND p.column_changed_ms < :until
        ) AS lost
    FROM columns AS l
    WHERE l.org_id = :org_id AND l.archived_at IS NULL AND (:project_id IS NULL OR l.project_id = :project_id)
)

SELECT
    id AS column_id,
    came - returned AS cards_entered,
    coalesce(
        (here_before * (:until - :since) + gained - lost) / 3600000.0 / nullif(here_before + came, 0), 0.0
    ) AS average_dwell_hours
FROM passed
ORDER BY project_id, position, id
