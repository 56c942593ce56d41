-- What a role may do with a resource of an organization that an import has just made.
UPDATE permissions
SET actions = :actions
WHERE org_id = :org_id AND role = :role AND resource = :resource
