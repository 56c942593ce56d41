-- Put a field at a place.
UPDATE fields
SET position = :position
WHERE id = :id
