-- One move request.
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
WHERE id = :move_request_id
