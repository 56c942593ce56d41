-- For each day: cards created and closed, and the median and 85th percentile of the cycle time in hours.
WITH days AS MATERIALIZED (
    SELECT
        value ->> '$.date' AS date,
        value ->> '$.since' AS since,
        value ->> '$.until' AS until,
        value ->> '$.begins' AS begins,
        value ->> '$.ends' AS ends
    FROM json_each(:days)
),

closed AS MATERIALIZED (
    SELECT d.date, (h.column_changed_ms - round((julianday(c.created_at) - 2440587.5) * 86400000)) / 3600000 AS hours
    FROM days AS d
    CROSS JOIN columns AS col
    CROSS JOIN history AS h
        ON h.to_column_id = col.id AND h.column_changed_ms >= d.begins AND h.column_changed_ms < d.ends
    CROSS JOIN cards AS c ON c.id = h.card_id
    WHERE
        col.org_id = :org_id
        AND col.column_type = 'done'
        AND (:project_id IS NULL OR col.project_id = :project_id)
        AND h.column_change = 'moved'
),

ranked AS (
    SELECT
        date,
        hours,
        row_number() OVER (PARTITION BY date ORDER BY hours) AS position,
        count(*) OVER (PARTITION BY date) AS total
    FROM closed
)

SELECT
    d.date,
    (
        SELECT count(*)
        FROM cards AS c
        WHERE
            c.org_id = :org_id
            AND c.created_at >= d.since
            AND c.created_at < d.until
            AND (:project_id IS NULL OR c.project_id = :project_id)
    ) AS created,
    count(r.hours) AS closed,
    avg(r.hours) FILTER (WHERE r.position IN ((r.total + 1) / 2, (r.total + 2) / 2)) AS cycle_median,
    min(r.hours) FILTER (WHERE r.position * 100 >= r.total * 85) AS cycle85
FROM days AS d
LEFT JOIN ranked AS r ON r.date = d.date
GROUP BY d.date
ORDER BY d.date
