-- An invitation ends when its sender stops being a Solution Architect of the organization.
BEGIN;

CREATE TABLE sent_invitations (
    org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    email TEXT NOT NULL,                       -- as the architect wrote it
    role TEXT NOT NULL CHECK (role = 'SolutionArchitect' OR role = 'Member'),
    invited_by TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    code_hash TEXT NOT NULL UNIQUE,            -- SHA-256, hexadecimal
    created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    PRIMARY KEY (org_id, user_id)
) STRICT, WITHOUT ROWID;

-- The sender caused the newest event of the invitation. Without an architect who is known to have sent it, it ends.
INSERT INTO sent_invitations (org_id, user_id, email, role, invited_by, code_hash, created_at, expires_at)
SELECT i.org_id, i.user_id, i.email, i.role, m.user_id, i.code_hash, i.created_at, i.expires_at
FROM invitations AS i
JOIN memberships AS m ON m.org_id = i.org_id AND m.role = 'SolutionArchitect'
WHERE
    m.user_id = (
        SELECT e.actor_id
        FROM events AS e
        WHERE
            e.org_id = i.org_id
            AND e.type IN ('member.invited', 'member.updated')
            AND e.about ->> '$.userId' = i.user_id
            AND e.created_at >= i.created_at
        ORDER BY e.id DESC
        LIMIT 1
    );

DROP TABLE invitations;
ALTER TABLE sent_invitations RENAME TO invitations;
CREATE INDEX invitations_by_user ON invitations (user_id);
CREATE INDEX invitations_by_sender ON invitations (invited_by);

CREATE TRIGGER end_invitations_on_member_update AFTER UPDATE OF role ON memberships
WHEN NEW.role <> 'SolutionArchitect'
BEGIN
    DELETE FROM invitations
    WHERE org_id = NEW.org_id AND invited_by = NEW.user_id;
END;

CREATE TRIGGER end_invitations_on_member_delete AFTER DELETE ON memberships
BEGIN
    DELETE FROM invitations
    WHERE org_id = OLD.org_id AND invited_by = OLD.user_id;
END;

PRAGMA user_version = 39;
COMMIT;
