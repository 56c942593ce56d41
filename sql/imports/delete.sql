-- End an import, which unlocks the organization.
DELETE FROM imports
WHERE org_id = :org_id
