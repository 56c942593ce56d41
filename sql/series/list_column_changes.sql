-- The daily change of the number of cards of each column, without zeros.
WITH changes AS MATERIALIZED (
    SELECT
        d.value ->> '$.date' AS date,
        col.id AS column_id,
        (
            SELECT count(*)
            FROM history AS h
            WHERE
                h.to_column_id = col.id
                AND h.column_changed_ms >= d.value ->> '$.begins'
                AND h.column_changed_ms < d.value ->> '$.ends'
        ) - (
            SELECT count(*)
            FROM history AS h
            WHERE
                h.from_column_id = col.id
                AND h.column_changed_ms >= d.value ->> '$.begins'
                AND h.column_changed_ms < d.value ->> '$.ends'
        ) AS gained
    FROM json_each(:days) AS d
    CROSS JOIN columns AS col
    WHERE col.org_id = :org_id AND col.archived_at IS NULL AND (:project_id IS NULL OR col.project_id = :project_id)
)

SELECT date, column_id, gained
FROM changes
WHERE gained <> 0
