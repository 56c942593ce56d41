-- Some cards of any organization whose texts changed since they were indexed.
SELECT org_id, card_id
FROM search_pending
LIMIT :limit
