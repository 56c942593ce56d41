-- An agent that an API key may act as: one that registered with the key or to which the key is bound.
SELECT id, team_id, status
FROM agents
WHERE
    org_id = :org_id
    AND id = :agent_id
    AND (key_id = :key_id OR id = :bound_id)
    AND (:team_id IS NULL OR team_id = :team_id)
