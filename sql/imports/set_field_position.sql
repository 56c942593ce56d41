-- Set the position of a field.
UPDATE fields
SET position = :position
WHERE id = :id
