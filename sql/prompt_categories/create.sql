-- Create a prompt category.
INSERT INTO prompt_categories (id, org_id, name, color, created_at)
VALUES (:id, :org_id, :name, :color, :now)
