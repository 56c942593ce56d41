-- A new organization; whoever makes it owns it.
INSERT INTO organizations (id, title, color, owner_id, created_at)
VALUES (:id, :title, :color, :owner_id, :now)
