-- Set the position of a column.
UPDATE columns
SET position = :position
WHERE id = :id
