-- Count the cards that an agent has created since a time.
SELECT count(*)
FROM history AS h
WHERE
    h.org_id = :org_id
    AND h.actor_id = :agent_id
    AND h.actor_type = 'Agent'
    AND h.action = 'created'
    AND h.created_at > :since
