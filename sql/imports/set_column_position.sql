-- Put a column at a place.
UPDATE columns
SET position = :position
WHERE id = :id
