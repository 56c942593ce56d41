-- The best of the free cards on which a person has answered the agent that asked.
SELECT c.id
FROM questions AS a
JOIN cards AS c ON c.id = a.card_id
JOIN columns AS l ON l.id = c.column_id
JOIN projects AS p ON p.id = c.project_id AND p.archived_at IS NULL
WHERE
    a.org_id = :org_id
    AND a.agent_id = :agent_id
    AND a.state = 'answered'
    AND a.taken_up = 0
    AND l.archived_at IS NULL
    AND l.agent_pickup_enabled = 1
    AND l.agent_can_moderate = 1
    AND l.column_type <> 'done'
    AND (:column_id IS NULL OR l.id = :column_id)
    AND (:project_id IS NULL OR l.project_id = :project_id)
    AND c.archived_at IS NULL
    AND c.claimable_by IN ('', :agent_id)
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
