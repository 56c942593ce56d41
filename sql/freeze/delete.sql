-- End the freeze of an organization, if there is one.
DELETE FROM freezes
WHERE org_id = :org_id
