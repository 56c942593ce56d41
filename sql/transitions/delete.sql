-- Delete a transition.
DELETE FROM transitions
WHERE id = :transition_id
