-- Delete an organization permanently with all its contents.
DELETE FROM organizations
WHERE id = :org_id
