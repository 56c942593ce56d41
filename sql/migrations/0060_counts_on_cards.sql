-- What is said of a card costs the same however much lies on it: triggers keep the numbers of its comments, replies,
-- history rows, files and parts, and indexes give the newest comments, files and relations without sorting all.
BEGIN;

ALTER TABLE cards ADD COLUMN comment_count INTEGER NOT NULL DEFAULT 0; -- without replies

ALTER TABLE cards ADD COLUMN reply_count INTEGER NOT NULL DEFAULT 0;

ALTER TABLE cards ADD COLUMN history_count INTEGER NOT NULL DEFAULT 0;

ALTER TABLE cards ADD COLUMN file_count INTEGER NOT NULL DEFAULT 0;

ALTER TABLE cards ADD COLUMN part_count INTEGER NOT NULL DEFAULT 0; -- that are active

ALTER TABLE cards ADD COLUMN done_part_count INTEGER NOT NULL DEFAULT 0; -- of these, in done columns

ALTER TABLE comments ADD COLUMN reply_count INTEGER NOT NULL DEFAULT 0;

ALTER TABLE organizations ADD COLUMN file_bytes INTEGER NOT NULL DEFAULT 0; -- of all its files

DROP TRIGGER comments_are_append_only;

UPDATE cards
SET
    comment_count = (SELECT count(*) FROM comments AS m WHERE m.card_id = cards.id AND m.parent_id IS NULL),
    reply_count = (SELECT count(*) FROM comments AS m WHERE m.card_id = cards.id AND m.parent_id IS NOT NULL),
    history_count = (SELECT count(*) FROM history AS h WHERE h.card_id = cards.id),
    file_count = (SELECT count(*) FROM files AS f WHERE f.card_id = cards.id);

UPDATE cards
SET (part_count, done_part_count) = (
    SELECT count(*), count(*) FILTER (WHERE col.column_type = 'done')
    FROM relationships AS r
    JOIN cards AS part ON part.id = r.from_card_id
    JOIN columns AS col ON col.id = part.column_id
    WHERE r.to_card_id = cards.id AND r.kind = 'partOf' AND part.archived_at IS NULL
)
WHERE id IN (SELECT to_card_id FROM relationships WHERE kind = 'partOf');

UPDATE comments
SET reply_count = (SELECT count(*) FROM comments AS m WHERE m.parent_id = comments.id)
WHERE id IN (SELECT parent_id FROM comments WHERE parent_id IS NOT NULL);

UPDATE organizations
SET file_bytes = (SELECT coalesce(sum(f.size_bytes), 0) FROM files AS f WHERE f.org_id = organizations.id);

CREATE TRIGGER comments_are_append_only
BEFORE UPDATE OF
id, org_id, card_id, parent_id, content, actor_type, actor_id, actor_label, created_at, imported, mentions
ON comments
BEGIN
    SELECT RAISE(ABORT, 'comments are append-only');
END;

CREATE TRIGGER count_comments_on_insert AFTER INSERT ON comments
BEGIN
    UPDATE cards
    SET
        comment_count = comment_count + (NEW.parent_id IS NULL),
        reply_count = reply_count + (NEW.parent_id IS NOT NULL)
    WHERE id = NEW.card_id;
    UPDATE comments
    SET reply_count = reply_count + 1
    WHERE id = NEW.parent_id;
END;

CREATE TRIGGER count_history_on_insert AFTER INSERT ON history
BEGIN
    UPDATE cards
    SET history_count = history_count + 1
    WHERE id = NEW.card_id;
END;

CREATE TRIGGER count_files_on_insert AFTER INSERT ON files
BEGIN
    UPDATE cards
    SET file_count = file_count + 1
    WHERE id = NEW.card_id;
    UPDATE organizations
    SET file_bytes = file_bytes + NEW.size_bytes
    WHERE id = NEW.org_id;
END;

CREATE TRIGGER count_files_on_delete AFTER DELETE ON files
BEGIN
    UPDATE cards
    SET file_count = file_count - 1
    WHERE id = OLD.card_id;
    UPDATE organizations
    SET file_bytes = file_bytes - OLD.size_bytes
    WHERE id = OLD.org_id;
END;

CREATE TRIGGER count_files_on_update AFTER UPDATE OF org_id, card_id, size_bytes ON files
BEGIN
    UPDATE cards
    SET file_count = (SELECT count(*) FROM files AS f WHERE f.card_id = cards.id)
    WHERE OLD.card_id <> NEW.card_id AND id IN (OLD.card_id, NEW.card_id);
    UPDATE organizations
    SET file_bytes = file_bytes - OLD.size_bytes
    WHERE id = OLD.org_id;
    UPDATE organizations
    SET file_bytes = file_bytes + NEW.size_bytes
    WHERE id = NEW.org_id;
END;

CREATE VIEW part_states AS -- each part of a card, with what it counts for its parent
SELECT
    r.id AS relationship_id,
    r.to_card_id AS parent_id,
    c.id AS part_id,
    c.column_id,
    c.archived_at IS NULL AS is_active,
    c.archived_at IS NULL AND col.column_type = 'done' AS is_done
FROM relationships AS r
JOIN cards AS c ON c.id = r.from_card_id
JOIN columns AS col ON col.id = c.column_id
WHERE r.kind = 'partOf';

CREATE TRIGGER count_parts_on_relationship_insert AFTER INSERT ON relationships
WHEN NEW.kind = 'partOf'
BEGIN
    UPDATE cards
    SET
        part_count = part_count + (SELECT is_active FROM part_states WHERE relationship_id = NEW.id),
        done_part_count = done_part_count + (SELECT is_done FROM part_states WHERE relationship_id = NEW.id)
    WHERE id = NEW.to_card_id AND EXISTS (SELECT 1 FROM part_states WHERE relationship_id = NEW.id);
END;

-- Before, since the card of a part may be deleted with its relationships; then they count no more.
CREATE TRIGGER count_parts_on_relationship_delete BEFORE DELETE ON relationships
WHEN OLD.kind = 'partOf'
BEGIN
    UPDATE cards
    SET
        part_count = part_count - (SELECT is_active FROM part_states WHERE relationship_id = OLD.id),
        done_part_count = done_part_count - (SELECT is_done FROM part_states WHERE relationship_id = OLD.id)
    WHERE id = OLD.to_card_id AND EXISTS (SELECT 1 FROM part_states WHERE relationship_id = OLD.id);
END;

CREATE TRIGGER count_parts_on_card_delete BEFORE DELETE ON cards
BEGIN
    UPDATE cards
    SET
        part_count = part_count - (SELECT is_active FROM part_states WHERE part_id = OLD.id),
        done_part_count = done_part_count - (SELECT is_done FROM part_states WHERE part_id = OLD.id)
    WHERE id = (SELECT parent_id FROM part_states WHERE part_id = OLD.id);
END;

CREATE TRIGGER count_parts_on_relationship_update AFTER UPDATE OF from_card_id, to_card_id, kind ON relationships
WHEN (OLD.kind = 'partOf' OR NEW.kind = 'partOf')
AND (NEW.kind <> OLD.kind OR NEW.from_card_id <> OLD.from_card_id OR NEW.to_card_id <> OLD.to_card_id)
BEGIN
    UPDATE cards
    SET
        part_count = (SELECT count(*) FROM part_states WHERE parent_id = cards.id AND is_active),
        done_part_count = (SELECT count(*) FROM part_states WHERE parent_id = cards.id AND is_done)
    WHERE id IN (OLD.to_card_id, NEW.to_card_id);
END;

CREATE TRIGGER count_parts_on_card_update AFTER UPDATE OF column_id, archived_at ON cards
WHEN (NEW.column_id <> OLD.column_id OR (NEW.archived_at IS NULL) <> (OLD.archived_at IS NULL))
AND EXISTS (SELECT 1 FROM relationships WHERE from_card_id = NEW.id AND kind = 'partOf')
BEGIN
    UPDATE cards
    SET
        part_count = part_count + (NEW.archived_at IS NULL) - (OLD.archived_at IS NULL),
        done_part_count = done_part_count
        + (NEW.archived_at IS NULL AND (SELECT column_type = 'done' FROM columns WHERE id = NEW.column_id))
        - (OLD.archived_at IS NULL AND (SELECT column_type = 'done' FROM columns WHERE id = OLD.column_id))
    WHERE id = (SELECT to_card_id FROM relationships WHERE from_card_id = NEW.id AND kind = 'partOf');
END;

CREATE TRIGGER count_parts_on_column_update AFTER UPDATE OF column_type ON columns
WHEN NEW.column_type <> OLD.column_type
BEGIN
    UPDATE cards
    SET done_part_count = (SELECT count(*) FROM part_states WHERE parent_id = cards.id AND is_done)
    WHERE id IN (
        SELECT r.to_card_id
        FROM cards AS c
        JOIN relationships AS r ON r.from_card_id = c.id AND r.kind = 'partOf'
        WHERE c.column_id = NEW.id AND c.archived_at IS NULL
    );
END;

-- Whether the card that blocks is neither done nor archived. Only then the other one waits for it.
ALTER TABLE relationships ADD COLUMN is_open INTEGER NOT NULL DEFAULT 0;

CREATE VIEW blocker_states AS
SELECT r.id AS relationship_id, c.archived_at IS NULL AND col.column_type <> 'done' AS is_open
FROM relationships AS r
JOIN cards AS c ON c.id = r.blocking_card_id
JOIN columns AS col ON col.id = c.column_id;

UPDATE relationships
SET is_open = coalesce((SELECT s.is_open FROM blocker_states AS s WHERE s.relationship_id = relationships.id), 0);

CREATE TRIGGER open_blocker_on_relationship_insert AFTER INSERT ON relationships
WHEN NEW.blocking_card_id IS NOT NULL
BEGIN
    UPDATE relationships
    SET is_open = coalesce((SELECT s.is_open FROM blocker_states AS s WHERE s.relationship_id = NEW.id), 0)
    WHERE id = NEW.id;
END;

CREATE TRIGGER open_blocker_on_relationship_update AFTER UPDATE OF from_card_id, to_card_id, kind ON relationships
BEGIN
    UPDATE relationships
    SET is_open = coalesce((SELECT s.is_open FROM blocker_states AS s WHERE s.relationship_id = NEW.id), 0)
    WHERE id = NEW.id;
END;

CREATE TRIGGER open_blocker_on_card_update AFTER UPDATE OF column_id, archived_at ON cards
WHEN (
    (NEW.archived_at IS NULL) <> (OLD.archived_at IS NULL)
    OR (SELECT column_type FROM columns WHERE id = NEW.column_id)
    <> (SELECT column_type FROM columns WHERE id = OLD.column_id)
)
AND EXISTS (SELECT 1 FROM relationships WHERE blocking_card_id = NEW.id)
BEGIN
    UPDATE relationships
    SET is_open = NEW.archived_at IS NULL AND (SELECT column_type <> 'done' FROM columns WHERE id = NEW.column_id)
    WHERE blocking_card_id = NEW.id;
END;

CREATE TRIGGER open_blocker_on_column_update AFTER UPDATE OF column_type ON columns
WHEN NEW.column_type <> OLD.column_type
BEGIN
    UPDATE relationships
    SET is_open = NEW.column_type <> 'done'
    WHERE blocking_card_id IN (SELECT id FROM cards WHERE column_id = NEW.id AND archived_at IS NULL);
END;

DROP VIEW claim_candidates;

DROP VIEW open_blockers;

DROP INDEX relationships_by_blocked_card;

CREATE INDEX relationships_open ON relationships (blocked_card_id, blocking_card_id) WHERE is_open = 1;

CREATE VIEW open_blockers AS
SELECT blocked_card_id, blocking_card_id
FROM relationships
WHERE blocked_card_id IS NOT NULL AND is_open = 1;

CREATE VIEW claim_candidates AS
SELECT
    c.id,
    c.column_id,
    c.card_type_id,
    c.claimable_by,
    c.urgency,
    c.due_order,
    c.rank_key,
    coalesce((SELECT k.expires_at FROM claims AS k WHERE k.card_id = c.id), '') AS claimed_until, -- '': there is no claim
    NOT EXISTS (SELECT 1 FROM move_requests AS m WHERE m.card_id = c.id AND m.state = 'open')
    AND NOT EXISTS (SELECT 1 FROM questions AS q WHERE q.card_id = c.id AND q.state = 'open')
    AND NOT EXISTS (SELECT 1 FROM open_blockers AS b WHERE b.blocked_card_id = c.id) AS is_available
FROM cards AS c
WHERE c.archived_at IS NULL;

CREATE VIEW encoded_claims AS
SELECT
    card_id,
    -- Expired or not: rows are cached by their parameters, so the current time cannot be a parameter.
    json_patch(
        json_object(
            'agentId', agent_id,
            'token', token,
            'claimedAt', claimed_at,
            'renewedAt', renewed_at,
            'expiresAt', expires_at,
            'promptVersionId', prompt_version_id,
            'leaseSeconds', lease_seconds
        ),
        iif(session IS NULL, '{}', json_object('session', session))
    ) AS claim
FROM claims;

CREATE INDEX replies_by_time ON comments (card_id, created_at, id) WHERE parent_id IS NOT NULL;

CREATE INDEX files_by_time ON files (card_id, uploaded_at, id);

DROP INDEX relationships_by_destination;

CREATE INDEX relationships_by_destination ON relationships (to_card_id, kind, created_at, id);

CREATE INDEX relationships_by_origin ON relationships (from_card_id, created_at, id);

CREATE INDEX questions_open_by_card ON questions (card_id, created_at, comment_id) WHERE state = 'open';

CREATE INDEX questions_with_unseen_answers ON questions (card_id) WHERE state = 'answered' AND answer_seen = 0;

DROP INDEX claims_by_agent;

CREATE INDEX claims_by_agent ON claims (org_id, agent_id, expires_at);

CREATE INDEX history_of_claims ON history (card_id, created_at, id) WHERE action = 'claimed';

CREATE INDEX fields_required ON fields (card_type_id) WHERE required = 1;

CREATE INDEX agents_by_status ON agents (org_id, status);

PRAGMA user_version = 60;
COMMIT;
