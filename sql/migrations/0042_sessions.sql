-- Each sign-in of a person is a session, which ends by itself, at a sign-out, or with a new password.
-- Tokens from before have no session; they stay valid until they expire.
BEGIN;

CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    org_id TEXT REFERENCES organizations (id) ON DELETE SET NULL, -- of the newest token
    token_hash TEXT NOT NULL UNIQUE, -- HMAC-SHA256 of the refresh token, hexadecimal
    user_agent TEXT,
    created_at TEXT NOT NULL,
    last_seen_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,  -- if the session is not used any more; at most ends_at
    ends_at TEXT NOT NULL      -- however much it is used
) STRICT;

CREATE INDEX sessions_by_user ON sessions (user_id, last_seen_at);
CREATE INDEX sessions_by_organization ON sessions (org_id);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

CREATE TRIGGER end_sessions_on_token_revocation AFTER UPDATE OF tokens_valid_from ON users
BEGIN
    DELETE FROM sessions
    WHERE user_id = NEW.id;
END;

PRAGMA user_version = 42;
COMMIT;
