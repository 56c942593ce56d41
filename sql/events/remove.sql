-- Remove the events of an organization that is removed for good.
DELETE FROM events
WHERE org_id = :org_id
