-- Whether an organization has events after one.
SELECT 1
FROM events
WHERE org_id = :org_id AND id > :since
LIMIT 1
