-- Create a webhook with an already encrypted secret. It receives events from now on.
INSERT INTO webhooks (id, org_id, url, events, secret, enabled, last_event_id, created_at)
VALUES (:id, :org_id, :url, :events, :secret, :enabled, (SELECT coalesce(max(e.id), 0) FROM events AS e), :now)
