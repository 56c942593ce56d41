-- End the freeze of an organization.
DELETE FROM freezes
WHERE org_id = :org_id
