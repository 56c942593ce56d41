-- Set the actions of a role on a resource in an organization that an import has created.
UPDATE permissions
SET actions = :actions
WHERE org_id = :org_id AND role = :role AND resource = :resource
