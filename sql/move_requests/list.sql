-- A page of the move requests of an organization, newest first.
WITH page AS MATERIALIZED (
    -- One branch finds something: the one with the narrowest index for the filters that are given.
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
FROM page
CROSS JOIN move_requests AS r ON r.id = page.id
CROSS JOIN cards AS c ON c.id = r.card_id
CROSS JOIN projects AS p ON p.id = c.project_id
ORDER BY page.created_at DESC, page.id DESC
