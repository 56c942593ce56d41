-- Create a job for the rest of a change that is made in batches.
INSERT INTO jobs (id, org_id, kind, resource_type, resource_id, state, actor, parameters)
VALUES (:id, :org_id, :kind, :resource_type, :resource_id, :state, :actor, :parameters)
