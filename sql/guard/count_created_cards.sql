-- Count the cards that an agent has created since a time and since it was last resumed.
SELECT count(*)
FROM history AS h
WHERE
    h.org_id = :org_id
    AND h.actor_id = :agent_id
    AND h.actor_type = 'Agent'
    AND h.imported = 0
    AND h.action = 'created'
    AND h.created_at > :since
    AND h.created_at > coalesce(
        (SELECT a.resumed_at FROM agents AS a WHERE a.org_id = :org_id AND a.id = :agent_id), ''
    )
