-- Claims: which agent works on which card, and until when.
BEGIN;

-- Whether a claim lives is told by expires_at alone; a row that has expired stays until the next claim replaces it.
CREATE TABLE claims (
    card_id TEXT PRIMARY KEY REFERENCES cards (id) ON DELETE CASCADE,
    org_id TEXT NOT NULL,
    agent_id TEXT NOT NULL,                    -- the actor: an agent, or a key that acts as none
    token TEXT NOT NULL,                       -- another one with each claim, so that a late holder is known by the old
    claimed_at TEXT NOT NULL,
    renewed_at TEXT NOT NULL,
    expires_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX claims_by_agent ON claims (org_id, agent_id);
CREATE INDEX claims_by_expiry ON claims (org_id, expires_at);

PRAGMA user_version = 5;
COMMIT;
