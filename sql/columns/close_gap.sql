-- Decrease the positions of the columns of a project after a position.
UPDATE columns
SET position = position - 1
WHERE project_id = :project_id AND archived_at IS NULL AND position > :position
