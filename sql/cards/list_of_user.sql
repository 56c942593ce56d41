-- A page of the active cards that are assigned to a user, in rank order.
SELECT id
FROM cards
WHERE org_id = :org_id AND assigned_user_id = :assigned_user_id AND archived_at IS NULL
ORDER BY rank_key, id
LIMIT :limit OFFSET :offset
