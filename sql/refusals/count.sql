-- Count the rows of denied requests of agents in an organization.
SELECT count(*)
FROM refusals AS r
WHERE
    r.org_id = :org_id
    AND (:since IS NULL OR r.last_at >= :since)
    AND (:agent_id IS NULL OR r.agent_id = :agent_id)
    AND (:card_id IS NULL OR r.card_id = :card_id)
