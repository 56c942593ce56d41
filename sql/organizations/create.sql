-- Create an organization with its owner.
INSERT INTO organizations (id, title, color, owner_id, created_at)
VALUES (:id, :title, :color, :owner_id, :now)
