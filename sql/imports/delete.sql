-- Hold an organization no longer.
DELETE FROM imports
WHERE org_id = :org_id
