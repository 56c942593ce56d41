-- The items that need a person's attention in an organization, oldest first, with a limit for each kind.
WITH stopping_columns AS MATERIALIZED (
    -- Agents may not move cards on from these columns.
    SELECT col.id, col.title
    FROM columns AS col
    JOIN projects AS p ON p.id = col.project_id AND p.archived_at IS NULL
    WHERE
        col.org_id = :org_id
        AND col.archived_at IS NULL
        AND col.column_type <> 'done'
        AND (
            NOT (col.agent_pickup_enabled AND col.agent_can_moderate)
            OR NOT EXISTS (
                SELECT 1
                FROM transitions AS t
                WHERE t.from_column_id = col.id AND t.archived_at IS NULL AND t.requires_approval = 0
            )
        )
),

items (
    kind, since, card_id, agent_id, message, request_id, from_column_id, to_column_id, note, comment_id
) AS MATERIALIZED (
    SELECT
        'pending_agent',
        a.created_at,
        NULL,
        a.id,
        'The agent ' || a.title || ' waits for approval.',
        NULL,
        NULL,
        NULL,
        NULL,
        NULL
    FROM (SELECT id FROM agents WHERE org_id = :org_id AND status = 'pending') AS pending
    CROSS JOIN agents AS a ON a.org_id = :org_id AND a.id = pending.id
    UNION ALL
    SELECT
        'stopped_agent',
        coalesce(a.stopped_at, a.created_at),
        NULL,
        a.id,
        'The agent ' || a.title || ' is stopped'
        || coalesce(': ' || a.stop_reason, '')
        || CASE WHEN a.assigned > 0 THEN '; cards assigned to it: ' || a.assigned ELSE '' END
        || '.',
        NULL,
        NULL,
        NULL,
        NULL,
        NULL
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
    UNION ALL
    SELECT
        'agent_creates',
        min(f.first_at),
        NULL,
        a.id,
        'The agent ' || a.title || ' wants to create more cards than it may within an hour.',
        NULL,
        NULL,
        NULL,
        NULL,
        NULL
    FROM refusals AS f
    JOIN agents AS a ON a.org_id = f.org_id AND a.id = f.agent_id AND a.status = 'approved'
    WHERE f.org_id = :org_id AND f.last_at > :creates_since AND f.code = 'too_many_created_cards'
    GROUP BY a.id, a.title
    UNION ALL
    SELECT
        'move_request',
        r.created_at,
        r.card_id,
        r.requested_by ->> '$.id',
        'A move of ' || c.title || ' to ' || col.title || ' waits for a decision.',
        r.id,
        r.from_column_id,
        r.to_column_id,
        r.note,
        NULL
    FROM move_requests AS r
    JOIN cards AS c ON c.id = r.card_id
    JOIN columns AS col ON col.id = r.to_column_id AND col.archived_at IS NULL
    WHERE r.org_id = :org_id AND r.state = 'open'
    UNION ALL
    SELECT
        'question',
        q.created_at,
        c.id,
        q.agent_id,
        'The agent ' || coalesce(a.title, q.agent_id) || ' asks about ' || c.title || '.',
        NULL,
        NULL,
        NULL,
        NULL,
        q.comment_id
    FROM questions AS q
    JOIN cards AS c ON c.id = q.card_id AND c.archived_at IS NULL
    JOIN columns AS col ON col.id = c.column_id AND col.column_type <> 'done'
    JOIN card_types AS t ON t.id = c.card_type_id AND t.comments_enabled
    LEFT JOIN agents AS a ON a.org_id = q.org_id AND a.id = q.agent_id
    WHERE q.org_id = :org_id AND q.state = 'open'
    UNION ALL
    SELECT
        'handed_over',
        h.created_at,
        c.id,
        h.actor_id,
        'The agent ' || coalesce(a.title, h.actor_id) || ' has handed ' || c.title || ' over in ' || col.title || '.',
        NULL,
        h.from_column_id,
        NULL,
        NULL,
        NULL
    FROM stopping_columns AS col
    CROSS JOIN cards AS c ON c.column_id = col.id
    CROSS JOIN history AS h ON h.card_id = c.id AND h.actor_type = 'Agent' AND h.column_change = 'moved'
    LEFT JOIN agents AS a ON a.org_id = :org_id AND a.id = h.actor_id
    WHERE
        c.archived_at IS NULL
        -- This move brought the card to its column. Since then, no user changed it and no approval was requested.
        AND h.to_column_id = col.id
        AND NOT EXISTS (
            SELECT 1
            FROM history AS later
            WHERE
                later.card_id = c.id
                AND (later.created_at, later.id) > (h.created_at, h.id)
                AND (later.actor_type = 'User' OR later.column_change IS NOT NULL)
        )
        AND NOT EXISTS (SELECT 1 FROM move_requests AS r WHERE r.card_id = c.id AND r.created_at >= h.created_at)
    UNION ALL
    SELECT
        'handed_over',
        r.decided_at,
        c.id,
        r.requested_by ->> '$.id',
        'A move of ' || c.title || ' was rejected; it stays in ' || col.title || ' until a person moves it.',
        NULL,
        r.from_column_id,
        r.to_column_id,
        r.decision_note,
        NULL
    FROM stopping_columns AS col
    CROSS JOIN cards AS c ON c.column_id = col.id
    CROSS JOIN move_requests AS r ON r.card_id = c.id AND r.state = 'rejected' AND r.from_column_id = col.id
    WHERE
        c.archived_at IS NULL
        -- The rejection left the card here. Since then, no user changed it and no approval was requested.
        AND NOT EXISTS (
            SELECT 1
            FROM history AS later
            WHERE
                later.card_id = c.id
                AND later.created_at > r.decided_at
                AND (later.actor_type = 'User' OR later.column_change IS NOT NULL)
        )
        AND NOT EXISTS (
            SELECT 1
            FROM move_requests AS n
            WHERE n.card_id = c.id AND (n.created_at, n.id) > (r.created_at, r.id)
        )
    UNION ALL
    SELECT
        'expired_claim',
        m.expires_at,
        m.card_id,
        m.agent_id,
        'The claim on ' || c.title || ' ran out before the work was handed over.',
        NULL,
        NULL,
        NULL,
        NULL,
        NULL
    FROM claims AS m
    JOIN cards AS c ON c.id = m.card_id
    WHERE
        m.org_id = :org_id
        AND m.expires_at <= :now
        AND c.archived_at IS NULL
        -- Any later change shows that the card was taken care of.
        AND NOT EXISTS (SELECT 1 FROM history AS h WHERE h.card_id = m.card_id AND h.created_at > m.expires_at)
    UNION ALL
    SELECT
        'overdue_card',
        c.due_date,
        c.id,
        c.assigned_agent_id,
        c.title || ' is overdue.',
        NULL,
        NULL,
        NULL,
        NULL,
        NULL
    FROM cards AS c
    JOIN columns AS col ON col.id = c.column_id
    WHERE
        c.org_id = :org_id
        AND c.archived_at IS NULL
        AND c.due_date IS NOT NULL
        AND c.due_order < :now -- narrows the search: a day that has ended anywhere has begun in UTC
        AND c.due_order < iif(c.due_all_day, :today, :now)
        AND col.column_type <> 'done'
        AND NOT EXISTS (SELECT 1 FROM complete_due_dates AS d WHERE d.card_id = c.id)
),

ranked AS (
    SELECT
        kind,
        since,
        card_id,
        agent_id,
        message,
        request_id,
        from_column_id,
        to_column_id,
        note,
        comment_id,
        row_number() OVER (PARTITION BY kind ORDER BY since, card_id, agent_id) AS position,
        count(*) OVER (PARTITION BY kind) AS of_kind
    FROM items
),

overdue AS (
    SELECT c.project_id, count(*) AS cards
    FROM items
    JOIN cards AS c ON c.id = items.card_id
    WHERE items.kind = 'overdue_card'
    GROUP BY c.project_id
)

SELECT
    item.kind,
    item.since,
    item.card_id,
    item.agent_id,
    item.message,
    item.request_id,
    item.from_column_id,
    item.to_column_id,
    item.note,
    item.comment_id,
    m.content,
    q.options,
    item.of_kind,
    CASE
        WHEN item.kind = 'overdue_card' AND item.position = 1
            THEN (SELECT json_group_object(o.project_id, o.cards) FROM overdue AS o)
    END AS overdue_boards,
    p.key || '-' || c.number AS card_key,
    c.title AS card_title,
    c.project_id,
    c.column_id,
    a.title AS agent_title
FROM ranked AS item
LEFT JOIN cards AS c ON c.id = item.card_id
LEFT JOIN projects AS p ON p.id = c.project_id
LEFT JOIN comments AS m ON m.id = item.comment_id
LEFT JOIN questions AS q ON q.comment_id = item.comment_id
LEFT JOIN agents AS a ON a.org_id = :org_id AND a.id = item.agent_id
WHERE item.position <= :limit_per_kind
ORDER BY item.since, item.kind, item.card_id, item.agent_id
