-- Reserve a key for a project permanently.
INSERT INTO project_keys (org_id, key, project_id)
VALUES (:org_id, :key, :project_id)
ON CONFLICT (org_id, key) DO NOTHING
