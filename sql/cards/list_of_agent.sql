-- A page of the active cards that are assigned to an agent, in rank order.
SELECT id
FROM cards
WHERE org_id = :org_id AND assigned_agent_id = :assigned_agent_id AND archived_at IS NULL
ORDER BY rank_key, id
LIMIT :limit OFFSET :offset
