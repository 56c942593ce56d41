-- Create a prompt with its first version as the current one.
INSERT INTO prompts (id, org_id, name, category_id, current_version_id, created_at, updated_at)
VALUES (:id, :org_id, :name, :category_id, :version_id, :now, :now)
