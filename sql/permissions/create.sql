-- One permission row: what a role may do with a resource.
INSERT INTO permissions (id, org_id, role, resource, actions)
VALUES (:id, :org_id, :role, :resource, :actions)
