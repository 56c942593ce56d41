-- Create an event for a change of people by a command of the operator.
INSERT INTO events (org_id, type, actor_type, actor_id, actor_label, created_at)
VALUES (:org_id, :type, :actor_type, :actor_id, :actor_label, :now)
