-- Claim one card for an agent, over a claim that has ended or is the agent's own.
INSERT INTO claims (card_id, org_id, agent_id, token, claimed_at, renewed_at, expires_at)
VALUES (:card_id, :org_id, :agent_id, :token, :now, :now, :expires_at)
ON CONFLICT (card_id) DO UPDATE SET
    agent_id = excluded.agent_id,
    token = excluded.token,
    claimed_at = excluded.claimed_at,
    renewed_at = excluded.renewed_at,
    expires_at = excluded.expires_at
