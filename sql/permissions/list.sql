-- The permission rows of an organization, by role and id.
SELECT id, role, resource, actions
FROM permissions
WHERE org_id = :org_id
ORDER BY role DESC, id
