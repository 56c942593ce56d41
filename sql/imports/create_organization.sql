-- Create the organization of a snapshot.
INSERT INTO organizations (id, title, color, owner_id, timezone, created_at)
VALUES (:id, :title, :color, :owner_id, coalesce(:timezone, 'UTC'), :created_at)
