-- One move request.
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
JOIN projects AS p ON p.id = c.project_id
WHERE r.id = :move_request_id
