-- Some of the cards of an organization whose texts changed since they were indexed.
SELECT org_id, card_id
FROM search_pending
WHERE org_id = :org_id
LIMIT :limit
