-- Columns know how many cards they hold, and cards that changed last or have a priority are found by an index: so that
-- a list costs what it shows, and not what there is.
BEGIN;

ALTER TABLE columns ADD COLUMN card_count INTEGER NOT NULL DEFAULT 0; -- its active cards; triggers keep it

UPDATE columns
SET card_count = (SELECT count(*) FROM cards AS c WHERE c.column_id = columns.id AND c.archived_at IS NULL);

CREATE TRIGGER columns_count_new_cards AFTER INSERT ON cards
WHEN NEW.archived_at IS NULL
BEGIN
    UPDATE columns
    SET card_count = card_count + 1
    WHERE id = NEW.column_id;
END;

CREATE TRIGGER columns_count_cards_that_move AFTER UPDATE OF column_id, archived_at ON cards
WHEN NEW.column_id <> OLD.column_id OR (NEW.archived_at IS NULL) <> (OLD.archived_at IS NULL)
BEGIN
    UPDATE columns
    SET card_count = card_count - 1
    WHERE id = OLD.column_id AND OLD.archived_at IS NULL;
    UPDATE columns
    SET card_count = card_count + 1
    WHERE id = NEW.column_id AND NEW.archived_at IS NULL;
END;

CREATE TRIGGER columns_count_cards_no_more AFTER DELETE ON cards
WHEN OLD.archived_at IS NULL
BEGIN
    UPDATE columns
    SET card_count = card_count - 1
    WHERE id = OLD.column_id;
END;

CREATE INDEX cards_by_change ON cards (org_id, updated_at DESC, id) WHERE archived_at IS NULL;
CREATE INDEX cards_by_urgency ON cards (org_id, urgency, rank_key, id) WHERE archived_at IS NULL AND urgency < 4;

PRAGMA user_version = 27;
COMMIT;
