-- The open move requests of an agent in active projects, newest first.
SELECT
    id,
    card_id,
    card_key,
    from_column_id,
    to_column_id,
    requested_by,
    note,
    state,
    decided_by,
    decision_note,
    created_at,
    decided_at
FROM move_request_details
WHERE
    org_id = :org_id
    AND state = 'open'
    AND requested_by ->> '$.type' = 'Agent'
    AND requested_by ->> '$.id' = :agent_id
    AND project_archived_at IS NULL
ORDER BY created_at DESC, id DESC
LIMIT :limit
