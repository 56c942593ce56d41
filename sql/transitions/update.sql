-- Update a transition.
UPDATE transitions
SET from_column_id = :from_column_id, to_column_id = :to_column_id, requires_approval = :requires_approval
WHERE id = :transition_id
