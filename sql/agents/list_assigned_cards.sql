-- Some of the cards that are assigned to an agent, archived ones too.
SELECT id
FROM cards
WHERE org_id = :org_id AND assigned_agent_id = :agent_id
LIMIT :limit
