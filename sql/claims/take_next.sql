-- Claim the best free card for an agent, if there is one: one statement, so that no two get the same.
INSERT INTO claims (card_id, org_id, agent_id, token, claimed_at, renewed_at, expires_at)
SELECT c.id, c.org_id, :agent_id, :token, :now, :now, :expires_at
FROM columns AS l
JOIN projects AS p ON p.id = l.project_id AND p.archived_at IS NULL
CROSS JOIN cards AS c ON c.column_id = l.id
WHERE
    l.org_id = :org_id
    AND l.archived_at IS NULL
    AND l.agent_pickup_enabled = 1
    AND l.agent_can_moderate = 1
    AND l.column_type <> 'done'
    AND (:column_id IS NULL OR l.id = :column_id)
    AND (:project_id IS NULL OR l.project_id = :project_id)
    AND c.archived_at IS NULL
    AND (:card_type_id IS NULL OR c.card_type_id = :card_type_id)
    AND (c.assigned_agent_id = :agent_id OR (c.assigned_agent_id IS NULL AND c.assigned_user_id IS NULL))
    AND NOT EXISTS (SELECT 1 FROM claims AS k WHERE k.card_id = c.id AND k.expires_at > :now)
    AND NOT EXISTS (
        SELECT 1
        FROM relationships AS r
        JOIN cards AS b ON b.id = r.holder_card_id
        JOIN columns AS d ON d.id = b.column_id
        WHERE r.held_card_id = c.id AND b.archived_at IS NULL AND d.column_type <> 'done'
    )
ORDER BY
    CASE c.priority
        WHEN 'urgent' THEN 0 WHEN 'high' THEN 1 WHEN 'medium' THEN 2 WHEN 'low' THEN 3
        ELSE 4
    END,
    c.due_date IS NULL,
    c.due_date,
    c.rank_key,
    c.id
LIMIT 1
ON CONFLICT (card_id) DO UPDATE SET
    agent_id = excluded.agent_id,
    token = excluded.token,
    claimed_at = excluded.claimed_at,
    renewed_at = excluded.renewed_at,
    expires_at = excluded.expires_at
RETURNING card_id
