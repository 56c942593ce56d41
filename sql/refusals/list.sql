-- A page of the denied requests of agents in an organization, latest first.
SELECT
    r.id,
    r.agent_id,
    nullif(r.card_id, '') AS card_id,
    p.key || '-' || c.number AS card_key,
    c.title,
    r.to_column_id,
    r.code,
    r.message,
    r.blockers,
    r.count,
    r.first_at,
    r.last_at
FROM refusals AS r
LEFT JOIN cards AS c ON c.id = r.card_id
LEFT JOIN projects AS p ON p.id = c.project_id
WHERE
    r.org_id = :org_id
    AND (:since IS NULL OR r.last_at >= :since)
    AND (:agent_id IS NULL OR r.agent_id = :agent_id)
    AND (:card_id IS NULL OR r.card_id = :card_id)
ORDER BY r.last_at DESC, r.id DESC
LIMIT :limit OFFSET :offset
