-- Increase the positions of the columns of a project from a position on.
UPDATE columns
SET position = position + 1
WHERE project_id = :project_id AND archived_at IS NULL AND position >= :position
