-- The open move request of a card, or else its last one.
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
WHERE card_id = :card_id
ORDER BY state = 'open' DESC, created_at DESC, id DESC
LIMIT 1
