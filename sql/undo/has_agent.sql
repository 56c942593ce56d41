-- Whether an organization has an agent with an id, or had one that changed a card.
SELECT 1
WHERE
    EXISTS (SELECT 1 FROM agents WHERE org_id = :org_id AND id = :agent_id)
    OR EXISTS (SELECT 1 FROM history WHERE org_id = :org_id AND actor_id = :agent_id AND actor_type = 'Agent')
