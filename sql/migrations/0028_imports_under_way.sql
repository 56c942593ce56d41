-- An import is written in portions, so that nobody else waits for it: what it will do is put down before the first of them,
-- and done to its end even if the service is killed in between. What it brings is indexed for the search in the background.
BEGIN;

CREATE TABLE imports (
    org_id TEXT PRIMARY KEY,                   -- no reference: it may yet have to make the organization
    begun_at TEXT NOT NULL,
    last_step INTEGER                          -- once all its steps are there and it is decided; null: nothing was changed
) STRICT, WITHOUT ROWID;

CREATE TABLE import_steps (                    -- those that are still to be done
    org_id TEXT NOT NULL REFERENCES imports (org_id),
    number INTEGER NOT NULL,
    steps BLOB NOT NULL,                       -- statements with their parameters, packed
    PRIMARY KEY (org_id, number)
) STRICT;

CREATE TABLE search_backlog (                  -- cards to index that came in great numbers: no search waits for them
    org_id TEXT NOT NULL,
    card_id TEXT NOT NULL,
    PRIMARY KEY (org_id, card_id)
) STRICT, WITHOUT ROWID;

DROP TRIGGER search_forgets_removed_cards;

CREATE TRIGGER search_forgets_removed_cards AFTER DELETE ON cards
BEGIN
    DELETE FROM search_texts
    WHERE rowid BETWEEN (SELECT number << 16 FROM search_cards WHERE card_id = OLD.id)
        AND (SELECT (number << 16) + 65535 FROM search_cards WHERE card_id = OLD.id);
    DELETE FROM search_cards
    WHERE card_id = OLD.id;
    DELETE FROM search_pending
    WHERE org_id = OLD.org_id AND card_id = OLD.id;
    DELETE FROM search_backlog
    WHERE org_id = OLD.org_id AND card_id = OLD.id;
END;

PRAGMA user_version = 28;
COMMIT;
