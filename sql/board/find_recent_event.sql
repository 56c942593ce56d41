-- The event before a number of the newest events of an organization; none if there are no more.
SELECT id
FROM events
WHERE org_id = :org_id
ORDER BY id DESC
LIMIT 1 OFFSET :count
