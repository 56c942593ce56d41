-- Some of the cards that were not indexed when they changed, since the database is of an older version.
SELECT org_id, card_id
FROM search_backlog
LIMIT :limit
