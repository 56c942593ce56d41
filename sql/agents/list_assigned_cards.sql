-- Cards that are assigned to an agent, including archived cards, up to a limit.
SELECT id
FROM cards
WHERE org_id = :org_id AND assigned_agent_id = :agent_id
LIMIT :limit
