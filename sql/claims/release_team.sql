-- Release the claims of the agents of a team and return whether each was live.
DELETE FROM claims
WHERE org_id = :org_id AND agent_id IN (SELECT a.id FROM agents AS a WHERE a.org_id = :org_id AND a.team_id = :team_id)
RETURNING card_id, agent_id, expires_at > :now AS was_live
