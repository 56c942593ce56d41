-- Claim a card for an agent. This replaces a claim that has expired or is the agent's own.
INSERT INTO claims (
    card_id, org_id, agent_id, token, claimed_at, renewed_at, expires_at, lease_seconds, prompt_version_id, session
)
SELECT c.id, c.org_id, :agent_id, :token, :now, :now, :expires_at, :lease_seconds, q.current_version_id, :session
FROM cards AS c
JOIN columns AS col ON col.id = c.column_id
LEFT JOIN prompts AS q ON q.id = col.prompt_id
WHERE c.id = :card_id
ON CONFLICT (card_id) DO UPDATE SET
    agent_id = excluded.agent_id,
    token = excluded.token,
    claimed_at = excluded.claimed_at,
    renewed_at = excluded.renewed_at,
    expires_at = excluded.expires_at,
    lease_seconds = excluded.lease_seconds,
    prompt_version_id = excluded.prompt_version_id,
    session = excluded.session,
    frozen_until = NULL
RETURNING prompt_version_id
