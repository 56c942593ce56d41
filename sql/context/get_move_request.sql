-- The open move request of a card, or else its last one.
WITH found AS MATERIALIZED (
    SELECT id
    FROM move_requests
    WHERE card_id = :card_id AND state = 'open'
    UNION ALL
    SELECT id
    FROM (
        SELECT id
        FROM move_requests
        WHERE card_id = :card_id AND org_id = :org_id
        ORDER BY created_at DESC, id DESC
        LIMIT 1
    )
    LIMIT 1
)

SELECT
    r.id,
    r.card_id,
    r.card_key,
    r.from_column_id,
    r.to_column_id,
    r.requested_by,
    r.note,
    r.state,
    r.decided_by,
    r.decision_note,
    r.created_at,
    r.decided_at
FROM found
CROSS JOIN move_request_details AS r ON r.id = found.id
