-- End the claims of an agent, and tell which lived.
DELETE FROM claims
WHERE org_id = :org_id AND agent_id = :agent_id
RETURNING card_id, agent_id, expires_at > :now AS lived
