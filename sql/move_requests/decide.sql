-- Close an open move request with a decision.
UPDATE move_requests
SET state = :state, decided_by = :decided_by, decision_note = :decision_note, decided_at = :decided_at
WHERE id = :move_request_id
