-- What waits for a person in an organization as JSON, what waits longest first; what an item is not about is left out.
WITH waiting AS (
    SELECT
        'pending_agent' AS kind,
        a.created_at AS since,
        NULL AS card_id,
        a.id AS agent_id,
        'The agent ' || a.title || ' waits for approval.' AS message
    FROM agents AS a
    WHERE a.org_id = :org_id AND a.status = 'pending'
    UNION ALL
    SELECT
        'stopped_agent',
        coalesce(a.stopped_at, a.created_at),
        NULL,
        a.id,
        'The agent ' || a.title || ' is stopped'
        || coalesce(': ' || a.stop_reason, '')
        || CASE WHEN a.assigned > 0 THEN '; cards assigned to it: ' || a.assigned ELSE '' END
        || '.'
    FROM (
        SELECT
            s.id,
            s.title,
            s.created_at,
            s.stopped_at,
            s.stop_reason,
            (
                SELECT count(*)
                FROM cards AS c
                JOIN columns AS l ON l.id = c.column_id
                WHERE
                    c.org_id = :org_id
                    AND c.assigned_agent_id = s.id
                    AND c.archived_at IS NULL
                    AND l.column_type <> 'done'
            ) AS assigned
        FROM agents AS s
        WHERE s.org_id = :org_id AND s.status = 'stopped'
    ) AS a
    WHERE a.assigned > 0 OR a.stop_reason IS NOT NULL
    UNION ALL
    SELECT
        'move_request',
        r.created_at,
        r.card_id,
        r.requested_by ->> '$.id',
        'A move of ' || c.title || ' to ' || l.title || ' waits for a decision.'
    FROM move_requests AS r
    JOIN cards AS c ON c.id = r.card_id
    JOIN columns AS l ON l.id = r.to_column_id
    WHERE r.org_id = :org_id AND r.state = 'open'
    UNION ALL
    SELECT
        'expired_claim',
        m.expires_at,
        m.card_id,
        m.agent_id,
        'The claim on ' || c.title || ' ran out before the work was handed over.'
    FROM claims AS m
    JOIN cards AS c ON c.id = m.card_id
    WHERE
        m.org_id = :org_id
        AND m.expires_at <= :now
        AND c.archived_at IS NULL
        -- Whatever happened to the card since, somebody has looked after it.
        AND NOT EXISTS (SELECT 1 FROM history AS h WHERE h.card_id = m.card_id AND h.created_at > m.expires_at)
    UNION ALL
    SELECT
        'overdue_card',
        c.due_date,
        c.id,
        c.assigned_agent_id,
        c.title || ' is overdue.'
    FROM cards AS c
    JOIN columns AS l ON l.id = c.column_id
    WHERE c.org_id = :org_id AND c.archived_at IS NULL AND c.due_date < :now AND l.column_type <> 'done'
)

SELECT json_group_array(json(item))
FROM (
    SELECT
        json_patch(
            '{}',
            json_object('kind', kind, 'since', since, 'cardId', card_id, 'agentId', agent_id, 'message', message)
        ) AS item
    FROM waiting
    ORDER BY since, kind, card_id, agent_id
)
