-- Cards that were not indexed when they changed, up to a limit.
SELECT org_id, card_id
FROM search_backlog
LIMIT :limit
