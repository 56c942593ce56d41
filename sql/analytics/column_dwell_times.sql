-- For each active column: cards that entered in the time window, and the mean dwell time in hours within it.
-- Arrivals and departures are not paired: an arrival adds the time to the end of the window, a departure subtracts it.
WITH totals AS MATERIALIZED (
    SELECT
        col.id,
        col.project_id,
        col.position,
        (
            SELECT count(*)
            FROM history AS h
            WHERE h.to_column_id = col.id AND h.column_changed_ms < :since
        ) - (
            SELECT count(*)
            FROM history AS h
            WHERE h.from_column_id = col.id AND h.column_changed_ms <= :since
        ) AS count_before,
        (
            SELECT count(*)
            FROM history AS h
            WHERE h.to_column_id = col.id AND h.column_changed_ms >= :since AND h.column_changed_ms < :until
        ) AS arrived,
        (
            SELECT count(*)
            FROM history AS h
            WHERE
                h.to_column_id = col.id
                AND h.column_changed_ms >= :since
                AND h.column_changed_ms < :until
                AND h.column_change = 'returned'
        ) AS returned,
        (
            SELECT coalesce(sum(:until - h.column_changed_ms), 0)
            FROM history AS h
            WHERE h.to_column_id = col.id AND h.column_changed_ms >= :since AND h.column_changed_ms < :until
        ) AS added_ms,
        (
            SELECT coalesce(sum(:until - h.column_changed_ms), 0)
            FROM history AS h
            WHERE h.from_column_id = col.id AND h.column_changed_ms > :since AND h.column_changed_ms < :until
        ) AS subtracted_ms
    FROM columns AS col
    WHERE col.org_id = :org_id AND col.archived_at IS NULL AND (:project_id IS NULL OR col.project_id = :project_id)
)

SELECT
    id AS column_id,
    arrived - returned AS cards_entered,
    coalesce(
        (count_before * (:until - :since) + added_ms - subtracted_ms) / 3600000.0 / nullif(count_before + arrived, 0),
        0.0
    ) AS average_dwell_hours
FROM totals
ORDER BY project_id, position, id
