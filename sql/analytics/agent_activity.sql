-- Activity of each agent in the time window: cards touched, comments, transitions.
SELECT
    actor_id AS agent_id,
    count(DISTINCT card_id) AS cards_touched,
    count(*) FILTER (WHERE action IN ('commented', 'replied')) AS comments,
    count(*) FILTER (WHERE action = 'moved') AS transitions
FROM history
WHERE
    org_id = :org_id
    AND actor_type = 'Agent'
    AND created_at >= :window_from
    AND created_at < :window_to
    AND (:project_id IS NULL OR card_id IN (SELECT id FROM cards WHERE project_id = :project_id))
GROUP BY actor_id
ORDER BY actor_id
