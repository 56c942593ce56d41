-- Count the comments of an agent on a card since a time and since the agent was last resumed.
SELECT count(*)
FROM history AS h
WHERE
    h.card_id = :card_id
    AND h.created_at > :since
    AND h.created_at > coalesce(
        (SELECT a.resumed_at FROM agents AS a WHERE a.org_id = :org_id AND a.id = :agent_id), ''
    )
    AND h.actor_type = 'Agent'
    AND h.imported = 0
    AND h.actor_id = :agent_id
    AND h.action IN ('commented', 'replied')
