-- The next events that were not yet matched against a webhook, with its patterns.
SELECT e.id, e.text, events.type, w.events AS patterns
FROM webhooks AS w
INNER JOIN encoded_events AS e ON e.org_id = w.org_id AND e.id > w.last_event_id
INNER JOIN events ON events.id = e.id
WHERE w.id = :webhook_id AND w.enabled = 1
ORDER BY e.id
LIMIT :limit
