-- Create a move request for a card.
INSERT INTO move_requests (id, org_id, card_id, from_column_id, to_column_id, requested_by, note, state, created_at)
VALUES (:id, :org_id, :card_id, :from_column_id, :to_column_id, :requested_by, :note, 'open', :now)
