-- The requests of an agent that wait for a decision, oldest first.
SELECT
    r.id,
    r.card_id,
    p.key || '-' || c.number AS card_key,
    r.from_column_id,
    r.to_column_id,
    r.requested_by,
    r.note,
    r.state,
    r.decided_by,
    r.decision_note,
    r.created_at,
    r.decided_at
FROM move_requests AS r
JOIN cards AS c ON c.id = r.card_id
JOIN projects AS p ON p.id = c.project_id AND p.archived_at IS NULL
WHERE r.org_id = :org_id AND r.state = 'open' AND r.requested_by ->> '$.id' = :agent_id
ORDER BY r.created_at, r.id
LIMIT :most
