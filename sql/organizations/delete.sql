-- Remove an organization for good, and with it all that is inside.
DELETE FROM organizations
WHERE id = :org_id
