-- Update the title, key and color of a project.
UPDATE projects
SET title = :title, key = :key, color = :color
WHERE id = :project_id
