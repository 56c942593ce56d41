-- The permission rows of an organization, in the order of the contract's table.
SELECT id, role, resource, actions
FROM permissions
WHERE org_id = :org_id
ORDER BY role DESC, id
