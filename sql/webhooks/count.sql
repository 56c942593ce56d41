-- Count the webhooks of an organization.
SELECT count(*)
FROM webhooks
WHERE org_id = :org_id
