-- The organization of a snapshot that is not there yet.
INSERT INTO organizations (id, title, color, owner_id, created_at)
VALUES (:id, :title, :color, :owner_id, :created_at)
