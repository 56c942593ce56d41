-- Create a project.
INSERT INTO projects (id, org_id, title, key, color, created_at)
VALUES (:id, :org_id, :title, :key, :color, :now)
