-- By how many cards columns grew on each day; left out where that is none.
WITH gains AS MATERIALIZED (
    SELECT
        d.value ->> '$.date' AS date,
        l.id AS column_id,
        (
            SELECT count(*)
            FROM history AS p
            WHERE p.to_column_id = l.id AND p.column_changed_ms >= d.value ->> '$.begins' AND p.column_changed_ms < d.value ->> '$.ends'
        ) - (
            SELECT count(*)
            FROM history AS p
            WHERE p.from_column_id = l.id AND p.column_changed_ms >= d.value ->> '$.begins' AND p.column_changed_ms < d.value ->> '$.ends'
        ) AS gained
    FROM json_each(:days) AS d
    CROSS JOIN columns AS l
    WHERE l.org_id = :org_id AND l.archived_at IS NULL AND (:project_id IS NULL OR l.project_id = :project_id)
)

SELECT date, column_id, gained
FROM gains
WHERE gained <> 0
