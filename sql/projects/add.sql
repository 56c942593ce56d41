-- A new project.
INSERT INTO projects (id, org_id, title, color, created_at)
VALUES (:id, :org_id, :title, :color, :now)
