-- The events that others caused on cards after an event, oldest first; optionally only those that concern the reader.
WITH new_events AS MATERIALIZED (
    SELECT e.id, e.type, e.card_id, e.about, e.actor_type, e.actor_id, e.actor_label, e.created_at
    FROM card_news AS e
    WHERE
        e.org_id = :org_id
        AND e.id > :since
        AND (e.actor_type, e.actor_id) <> (:reader_type, :reader_id)
    ORDER BY e.id
    LIMIT :limit
),

mentions AS MATERIALIZED (
    SELECT n.card_id, n.created_at
    FROM new_events AS n
    JOIN comments AS m ON m.id = n.about ->> '$.commentId'
    WHERE
        :only_concerning_reader
        AND ' ' || m.content || ' ' GLOB '*[^A-Za-z0-9]@' || :reader_id || '[^A-Za-z0-9_:@-]*'
),

selected AS MATERIALIZED (
    SELECT
        c.id,
        CASE
            WHEN :only_concerning_reader
                THEN (
                    -- The reader's first change, assignment or move request, or the first comment that mentions it.
                    SELECT min(began.created_at)
                    FROM (
                        SELECT h.created_at
                        FROM history AS h
                        WHERE
                            h.card_id = c.id
                            AND (
                                (h.actor_type, h.actor_id) = (:reader_type, :reader_id)
                                OR h.changes ->> '$.assignedAgentId.to' = :reader_id
                            )
                        UNION ALL
                        SELECT r.created_at
                        FROM move_requests AS r
                        WHERE
                            r.card_id = c.id
                            AND r.requested_by ->> '$.type' = :reader_type
                            AND r.requested_by ->> '$.id' = :reader_id
                        UNION ALL
                        SELECT n.created_at FROM mentions AS n WHERE n.card_id = c.id
                    ) AS began
                )
        END AS concerns_since
    FROM (SELECT DISTINCT n.card_id FROM new_events AS n) AS changed
    CROSS JOIN cards AS c ON c.id = changed.card_id
    CROSS JOIN projects AS p ON p.id = c.project_id AND p.archived_at IS NULL
    WHERE
        NOT :only_concerning_reader
        OR c.assigned_agent_id = :reader_id
        OR EXISTS (SELECT 1 FROM claims AS k WHERE k.card_id = c.id AND k.agent_id = :reader_id)
        OR (:reader_type, :reader_id) = (
            SELECT h.actor_type, h.actor_id
            FROM history AS h
            WHERE h.card_id = c.id AND h.action = 'claimed'
            ORDER BY h.created_at DESC, h.id DESC
            LIMIT 1
        )
        OR EXISTS (
            SELECT 1
            FROM history AS h
            WHERE
                h.org_id = :org_id
                AND h.actor_type = :reader_type
                AND h.actor_id = :reader_id
                AND h.card_id = c.id
                AND h.action IN ('commented', 'replied')
        )
        OR EXISTS (
            SELECT 1
            FROM move_requests AS r
            WHERE
                r.card_id = c.id
                AND r.org_id = :org_id
                AND r.requested_by ->> '$.type' = :reader_type
                AND r.requested_by ->> '$.id' = :reader_id
        )
        OR EXISTS (SELECT 1 FROM mentions AS n WHERE n.card_id = c.id)
)

SELECT
    n.id,
    n.type,
    n.card_id,
    n.about,
    json_object('type', n.actor_type, 'id', n.actor_id, 'label', n.actor_label) AS actor,
    n.created_at
FROM new_events AS n
WHERE
    -- A subquery, since SQLite finds its rows by an index; it would join the two sets without one.
    n.created_at >= (SELECT coalesce(c.concerns_since, '') FROM selected AS c WHERE c.id = n.card_id)
    AND (
        NOT :only_unseen
        OR n.id > coalesce(
            (
                SELECT s.event_id
                FROM seen AS s
                WHERE
                    s.org_id = :org_id
                    AND s.reader_type = :reader_type
                    AND s.reader_id = :reader_id
                    AND s.card_id = n.card_id
            ),
            0
        )
    )
ORDER BY n.id
