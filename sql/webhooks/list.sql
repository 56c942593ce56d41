-- The webhooks of an organization, oldest first.
SELECT id, url, events, enabled, created_at
FROM webhooks
WHERE org_id = :org_id
ORDER BY created_at, id
