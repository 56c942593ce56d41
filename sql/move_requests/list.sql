-- A page of the move requests of an organization, newest first.
WITH page AS MATERIALIZED (
    -- Only one branch returns rows: the one with the best index for the given filters.
    SELECT id, created_at
    FROM move_requests
    WHERE :card_id IS NULL AND :state IS NULL AND org_id = :org_id
    UNION ALL
    SELECT id, created_at
    FROM move_requests
    WHERE :card_id IS NULL AND org_id = :org_id AND state = :state
    UNION ALL
    SELECT id, created_at
    FROM move_requests
    WHERE card_id = :card_id AND org_id = :org_id AND (:state IS NULL OR state = :state)
    ORDER BY created_at DESC, id DESC
    LIMIT :limit OFFSET :offset
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
FROM page
CROSS JOIN move_request_details AS r ON r.id = page.id
ORDER BY page.created_at DESC, page.id DESC
