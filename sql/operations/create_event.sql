-- Something about its people happened in an organization, done from outside.
INSERT INTO events (org_id, type, actor_type, actor_id, actor_label, created_at)
VALUES (:org_id, :type, :actor_type, :actor_id, :actor_label, :now)
