-- The webhooks of an organization with their encrypted secrets, oldest first.
SELECT id, url AS name, secret
FROM webhooks
WHERE org_id = :org_id
ORDER BY created_at, id
