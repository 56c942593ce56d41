-- The cards that an agent changed in a time window, in the order of its first change of each.
SELECT card_id
FROM history
WHERE
    org_id = :org_id
    AND actor_id = :agent_id
    AND actor_type = 'Agent'
    AND action IN ('created', 'updated', 'moved', 'archived', 'restored', 'fileAdded', 'fileRemoved')
    AND created_at >= :since
    AND (:until IS NULL OR created_at <= :until)
GROUP BY card_id
ORDER BY min(created_at), card_id
LIMIT :limit
