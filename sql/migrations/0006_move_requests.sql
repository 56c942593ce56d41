-- Move requests: an agent asks for a move that needs approval, and a person decides.
BEGIN;

CREATE TABLE move_requests (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    card_id TEXT NOT NULL REFERENCES cards (id) ON DELETE CASCADE,
    from_column_id TEXT NOT NULL,              -- no references: a request can still be read when its columns are gone
    to_column_id TEXT NOT NULL,
    requested_by TEXT NOT NULL,                -- the actor as JSON
    note TEXT,
    state TEXT NOT NULL CHECK (state IN ('open', 'approved', 'rejected', 'withdrawn', 'stale')),
    decided_by TEXT,                           -- the actor as JSON; null: open or stale
    decision_note TEXT,
    created_at TEXT NOT NULL,
    decided_at TEXT                            -- when it ceased to be open
) STRICT;

CREATE UNIQUE INDEX move_requests_open ON move_requests (card_id) WHERE state = 'open';
CREATE INDEX move_requests_open_by_edge ON move_requests (from_column_id, to_column_id) WHERE state = 'open';
CREATE INDEX move_requests_by_card ON move_requests (card_id, org_id, created_at, id);
CREATE INDEX move_requests_by_organization ON move_requests (org_id, created_at, id);
CREATE INDEX move_requests_by_state ON move_requests (org_id, state, created_at, id);

-- A request is about a card where it stands and a transition that there is. It goes stale with the change that
-- makes it pointless, whatever that is, so that nobody is asked for what cannot be and the agent can ask anew.
CREATE TRIGGER move_requests_go_stale_with_the_card AFTER UPDATE OF column_id, archived_at ON cards
WHEN (NEW.column_id <> OLD.column_id OR (OLD.archived_at IS NULL AND NEW.archived_at IS NOT NULL))
AND EXISTS (SELECT 1 FROM move_requests WHERE card_id = NEW.id AND state = 'open')
BEGIN
    UPDATE move_requests
    SET state = 'stale', decided_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
    WHERE card_id = NEW.id AND state = 'open';
END;

CREATE TRIGGER move_requests_go_stale_with_a_changed_transition
AFTER UPDATE OF from_column_id, to_column_id, archived_at ON transitions
WHEN NEW.archived_at IS NOT NULL
OR NEW.from_column_id <> OLD.from_column_id
OR NEW.to_column_id <> OLD.to_column_id
BEGIN
    UPDATE move_requests
    SET state = 'stale', decided_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
    WHERE from_column_id = OLD.from_column_id AND to_column_id = OLD.to_column_id AND state = 'open';
END;

CREATE TRIGGER move_requests_go_stale_with_a_deleted_transition AFTER DELETE ON transitions
BEGIN
    UPDATE move_requests
    SET state = 'stale', decided_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
    WHERE from_column_id = OLD.from_column_id AND to_column_id = OLD.to_column_id AND state = 'open';
END;

PRAGMA user_version = 6;
COMMIT;
