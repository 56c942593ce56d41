-- When an agent created the card at a position among the cards that it has created since a time, oldest first.
SELECT h.created_at
FROM history AS h
WHERE
    h.org_id = :org_id
    AND h.actor_id = :agent_id
    AND h.actor_type = 'Agent'
    AND h.action = 'created'
    AND h.created_at > :since
ORDER BY h.created_at
LIMIT 1 OFFSET :position
