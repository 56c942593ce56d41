-- The open move request of a card, else the last one.
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
WHERE r.card_id = :card_id
ORDER BY r.state = 'open' DESC, r.created_at DESC, r.id DESC
LIMIT 1
