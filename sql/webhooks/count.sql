-- How many webhooks an organization has.
SELECT count(*)
FROM webhooks
WHERE org_id = :org_id
