-- The stopped agents that have a reason or assigned cards, the longest waiting first, with their number.
SELECT
    a.since,
    a.id AS agent_id,
    a.title AS agent_title,
    a.stop_reason,
    a.assigned,
    count(*) OVER () AS total
FROM (
    SELECT
        s.id,
        s.title,
        coalesce(s.stopped_at, s.created_at) AS since,
        s.stop_reason,
        (
            SELECT count(*)
            FROM cards AS c
            JOIN columns AS col ON col.id = c.column_id
            WHERE
                c.org_id = :org_id
                AND c.assigned_agent_id = s.id
                AND c.archived_at IS NULL
                AND col.column_type <> 'done'
        ) AS assigned
    FROM (SELECT id FROM agents WHERE org_id = :org_id AND status = 'stopped') AS stopped
    CROSS JOIN agents AS s ON s.org_id = :org_id AND s.id = stopped.id
) AS a
WHERE a.assigned > 0 OR a.stop_reason IS NOT NULL
ORDER BY a.since, a.id
LIMIT :limit
