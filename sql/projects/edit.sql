-- New title and color of a project.
UPDATE projects
SET title = :title, color = :color
WHERE id = :project_id
