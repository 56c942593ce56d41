-- Delete events of an organization that is being deleted, up to a limit.
DELETE FROM events
WHERE id IN (SELECT e.id FROM events AS e WHERE e.org_id = :org_id LIMIT :limit)
