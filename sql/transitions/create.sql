-- Create a transition.
INSERT INTO transitions (id, org_id, project_id, from_column_id, to_column_id, requires_approval, created_at)
VALUES (:id, :org_id, :project_id, :from_column_id, :to_column_id, :requires_approval, :now)
