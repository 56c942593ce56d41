-- Create a card type.
INSERT INTO card_types (
    id, org_id, project_id, title, color, comments_enabled, files_enabled, created_at
)
VALUES (:id, :org_id, :project_id, :title, :color, :comments_enabled, :files_enabled, :now)
