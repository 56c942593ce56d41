-- A page of the active cards of an organization, last changed first.
SELECT id
FROM cards
WHERE org_id = :org_id AND archived_at IS NULL
ORDER BY updated_at DESC, id
LIMIT :limit OFFSET :offset
