-- The agents that wait for approval, the longest waiting first, with their number.
SELECT a.created_at AS since, a.id AS agent_id, a.title AS agent_title, count(*) OVER () AS total
FROM (SELECT id FROM agents WHERE org_id = :org_id AND status = 'pending') AS pending
CROSS JOIN agents AS a ON a.org_id = :org_id AND a.id = pending.id
ORDER BY a.created_at, a.id
LIMIT :limit
