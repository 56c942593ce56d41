-- Update the title, key, color and display of a project.
UPDATE projects
SET title = :title, key = :key, color = :color, display = :display
WHERE id = :project_id
