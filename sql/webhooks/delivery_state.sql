-- Delivery state of an active webhook: does it have unread events, and when is its next attempt due?
SELECT
    w.id,
    w.org_id,
    w.url,
    w.secret,
    EXISTS (SELECT 1 FROM events AS e WHERE e.org_id = w.org_id AND e.id > w.last_event_id)
    AND NOT EXISTS (
        SELECT 1
        FROM deliveries AS d
        WHERE d.webhook_id = w.id AND d.state = 'pending' AND d.next_attempt_at > '' -- uses the partial index
        LIMIT 1 OFFSET :pending_max
    ) AS is_behind,
    (
        SELECT min(d.next_attempt_at) FROM deliveries AS d WHERE d.webhook_id = w.id AND d.state = 'pending'
    ) AS next_attempt_at
FROM webhooks AS w
INNER JOIN organizations AS o ON o.id = w.org_id
WHERE w.id = :webhook_id AND w.enabled = 1 AND o.archived_at IS NULL
