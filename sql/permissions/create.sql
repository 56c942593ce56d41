-- Create a permission row: the actions of a role on a resource.
INSERT INTO permissions (id, org_id, role, resource, actions)
VALUES (:id, :org_id, :role, :resource, :actions)
