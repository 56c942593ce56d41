-- Create the organization of a snapshot.
INSERT INTO organizations (id, title, color, owner_id, created_at)
VALUES (:id, :title, :color, :owner_id, :created_at)
