-- A page of the active cards of an organization, in rank order.
SELECT id
FROM cards
WHERE org_id = :org_id AND archived_at IS NULL
ORDER BY rank_key, id
LIMIT :limit OFFSET :offset
