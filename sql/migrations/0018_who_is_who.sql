-- Who is who: keys that may act without an agent, and people who were invited and have not come yet.
BEGIN;

-- Off for the keys there are: until now every key could act without anybody having approved it.
ALTER TABLE api_keys ADD COLUMN acts_as_itself INTEGER NOT NULL DEFAULT 0;

-- One for each person and organization: inviting again replaces it. Whether it holds is told by expires_at alone.
CREATE TABLE invitations (
    org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    email TEXT NOT NULL,                       -- as the architect wrote it
    role TEXT NOT NULL CHECK (role = 'SolutionArchitect' OR role = 'Member'),
    code_hash TEXT NOT NULL UNIQUE,            -- SHA-256, hexadecimal
    created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    PRIMARY KEY (org_id, user_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX invitations_by_user ON invitations (user_id);

PRAGMA user_version = 18;
COMMIT;
