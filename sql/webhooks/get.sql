-- One webhook of an organization.
SELECT id, url, events, secret, enabled, created_at
FROM webhooks
WHERE id = :webhook_id AND org_id = :org_id
