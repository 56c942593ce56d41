-- Full-text search: which cards changed, and an index over titles, field values and comments.
BEGIN;

-- Cards whose texts changed since they were indexed: a note costs 1 µs, where indexing a comment costs 20.
CREATE TABLE search_pending (
    org_id TEXT NOT NULL,
    card_id TEXT NOT NULL,
    PRIMARY KEY (org_id, card_id)
) STRICT, WITHOUT ROWID;

-- The cards that are indexed. Numbers of one organization lie together, so that a search reads only its own.
CREATE TABLE search_cards (
    number INTEGER PRIMARY KEY,
    active INTEGER NOT NULL,                   -- neither the card nor its project is archived
    project_id TEXT NOT NULL,
    org_id TEXT NOT NULL,
    card_id TEXT NOT NULL UNIQUE
) STRICT;

CREATE INDEX search_cards_by_organization ON search_cards (org_id);
CREATE INDEX search_cards_by_project ON search_cards (project_id);

-- A card's texts, in rows number * 65536 + 0, 1, …: each has title and field values, and a stretch of the comments.
CREATE VIRTUAL TABLE search_texts USING fts5 (
    title,
    sources UNINDEXED,                         -- JSON: the ids of the fields and comments, in the order of their texts
    fields,
    comments,
    tokenize = 'unicode61 remove_diacritics 2'
);

CREATE TRIGGER search_notes_new_cards AFTER INSERT ON cards
BEGIN
    INSERT INTO search_pending (org_id, card_id)
    VALUES (NEW.org_id, NEW.id)
    ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER search_notes_titles AFTER UPDATE OF title ON cards
WHEN NEW.title <> OLD.title
BEGIN
    INSERT INTO search_pending (org_id, card_id)
    VALUES (NEW.org_id, NEW.id)
    ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER search_notes_comments AFTER INSERT ON comments
BEGIN
    INSERT INTO search_pending (org_id, card_id)
    VALUES (NEW.org_id, NEW.card_id)
    ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER search_notes_new_values AFTER INSERT ON field_values
BEGIN
    INSERT INTO search_pending (org_id, card_id)
    SELECT org_id, id
    FROM cards
    WHERE id = NEW.card_id
    ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER search_notes_changed_values AFTER UPDATE OF value ON field_values
WHEN NEW.value <> OLD.value
BEGIN
    INSERT INTO search_pending (org_id, card_id)
    SELECT org_id, id
    FROM cards
    WHERE id = NEW.card_id
    ON CONFLICT DO NOTHING;
END;

-- With a card its values go too; by then there is no card to note.
CREATE TRIGGER search_notes_cleared_values AFTER DELETE ON field_values
BEGIN
    INSERT INTO search_pending (org_id, card_id)
    SELECT org_id, id
    FROM cards
    WHERE id = OLD.card_id
    ON CONFLICT DO NOTHING;
END;

-- What is archived stays indexed and is passed over, so that an archive of 10,000 cards indexes nothing anew.
CREATE TRIGGER search_follows_the_archive AFTER UPDATE OF archived_at, project_id ON cards
WHEN NEW.archived_at IS NOT OLD.archived_at OR NEW.project_id <> OLD.project_id
BEGIN
    UPDATE search_cards
    SET
        project_id = NEW.project_id,
        active = NEW.archived_at IS NULL
        AND EXISTS (SELECT 1 FROM projects WHERE id = NEW.project_id AND archived_at IS NULL)
    WHERE card_id = NEW.id;
END;

CREATE TRIGGER search_follows_projects AFTER UPDATE OF archived_at ON projects
WHEN NEW.archived_at IS NOT OLD.archived_at
BEGIN
    UPDATE search_cards
    SET active = NEW.archived_at IS NULL
        AND EXISTS (SELECT 1 FROM cards WHERE id = search_cards.card_id AND archived_at IS NULL)
    WHERE project_id = NEW.id;
END;

CREATE TRIGGER search_forgets_removed_cards AFTER DELETE ON cards
BEGIN
    DELETE FROM search_texts
    WHERE rowid BETWEEN (SELECT number << 16 FROM search_cards WHERE card_id = OLD.id)
        AND (SELECT (number << 16) + 65535 FROM search_cards WHERE card_id = OLD.id);
    DELETE FROM search_cards
    WHERE card_id = OLD.id;
    DELETE FROM search_pending
    WHERE org_id = OLD.org_id AND card_id = OLD.id;
END;

-- What is there so far is indexed once the service runs.
INSERT INTO search_pending (org_id, card_id)
SELECT org_id, id
FROM cards;

PRAGMA user_version = 9;
COMMIT;
