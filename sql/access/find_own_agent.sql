-- An agent of an organization as which a key may act: one that registered with it, or to which it is bound.
SELECT id, team_id, status
FROM agents
WHERE
    org_id = :org_id
    AND id = :agent_id
    AND (key_id = :key_id OR id = :bound_id)
    AND (:team_id IS NULL OR team_id = :team_id)
