-- Release claims of an agent, up to a limit, and return whether each was live.
DELETE FROM claims
WHERE card_id IN (SELECT c.card_id FROM claims AS c WHERE c.org_id = :org_id AND c.agent_id = :agent_id LIMIT :limit)
RETURNING card_id, agent_id, expires_at > :now AS was_live
