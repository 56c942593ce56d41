-- The best free card for an agent: the first free one of each column, by an index in the order of claims; of these the best.
SELECT b.id
FROM (
    SELECT (
        SELECT c.id
        FROM cards AS c
        WHERE
            c.column_id = l.id
            AND c.archived_at IS NULL
            AND c.claimable_by = h.agent_id
            AND (:card_type_id IS NULL OR c.card_type_id = :card_type_id)
            AND NOT EXISTS (SELECT 1 FROM claims AS k WHERE k.card_id = c.id AND k.expires_at > :now)
            AND NOT EXISTS (SELECT 1 FROM move_requests AS m WHERE m.card_id = c.id AND m.state = 'open')
            AND NOT EXISTS (SELECT 1 FROM questions AS q WHERE q.card_id = c.id AND q.state = 'open')
            AND NOT EXISTS (
                SELECT 1
                FROM relationships AS r
                JOIN cards AS b ON b.id = r.holder_card_id
                JOIN columns AS d ON d.id = b.column_id
                WHERE r.held_card_id = c.id AND b.archived_at IS NULL AND d.column_type <> 'done'
            )
        ORDER BY c.urgency, c.due_order, c.rank_key, c.id
        LIMIT 1
    ) AS id
    FROM columns AS l
    JOIN projects AS p ON p.id = l.project_id AND p.archived_at IS NULL
    CROSS JOIN (
        SELECT '' AS agent_id
        UNION ALL
        SELECT :agent_id
        WHERE EXISTS (SELECT 1 FROM cards WHERE org_id = :org_id AND assigned_agent_id = :agent_id AND archived_at IS NULL)
    ) AS h
    WHERE
        l.org_id = :org_id
        AND l.archived_at IS NULL
        AND l.agent_pickup_enabled = 1
        AND l.agent_can_moderate = 1
        AND l.column_type <> 'done'
        AND (:column_id IS NULL OR l.id = :column_id)
        AND (:project_id IS NULL OR l.project_id = :project_id)
) AS f
JOIN cards AS b ON b.id = f.id
ORDER BY b.urgency, b.due_order, b.rank_key, b.id
LIMIT 1
