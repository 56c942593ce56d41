-- Some cards that came in great numbers and are not indexed yet; those of an import are looked at when it is over.
SELECT org_id, card_id
FROM search_backlog
WHERE org_id NOT IN (SELECT org_id FROM imports)
LIMIT :limit
