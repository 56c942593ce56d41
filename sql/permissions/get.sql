-- One permission row of an organization.
SELECT id, role, resource, actions
FROM permissions
WHERE id = :permission_id AND org_id = :org_id
