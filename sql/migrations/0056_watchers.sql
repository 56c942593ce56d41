-- Who watches which card. Existing cards are watched by those who created them, are assigned or have commented.
BEGIN;

CREATE TABLE card_watchers (
    card_id TEXT NOT NULL REFERENCES cards (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    PRIMARY KEY (card_id, user_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX card_watchers_by_user ON card_watchers (user_id, org_id);

CREATE INDEX card_watchers_by_organization ON card_watchers (org_id);

INSERT OR IGNORE INTO card_watchers (card_id, user_id, org_id)
SELECT c.id, m.user_id, m.org_id
FROM cards AS c
JOIN memberships AS m ON m.user_id = c.assigned_user_id AND m.org_id = c.org_id;

INSERT OR IGNORE INTO card_watchers (card_id, user_id, org_id)
SELECT c.id, m.user_id, m.org_id
FROM cards AS c
JOIN memberships AS m ON m.user_id = c.created_by ->> 'id' AND m.org_id = c.org_id
WHERE c.created_by ->> 'type' = 'User';

INSERT OR IGNORE INTO card_watchers (card_id, user_id, org_id)
SELECT c.card_id, m.user_id, m.org_id
FROM comments AS c
JOIN memberships AS m ON m.user_id = c.actor_id AND m.org_id = c.org_id
WHERE c.actor_type = 'User';

PRAGMA user_version = 56;
COMMIT;
