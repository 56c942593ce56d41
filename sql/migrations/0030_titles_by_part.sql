-- Titles are found by any three letters of theirs in a row, so that a list by part of a title need not read all cards.
-- The index follows like that of search (search/texts.py): what is noted in search_pending is not in it yet.
BEGIN;

CREATE VIRTUAL TABLE search_titles USING fts5 (title, tokenize = 'trigram', detail = 'none'); -- rowid: search_cards.number

INSERT INTO search_titles (rowid, title)
SELECT s.number, c.title
FROM search_cards AS s
JOIN cards AS c ON c.id = s.card_id;

DROP TRIGGER search_forgets_removed_cards;

CREATE TRIGGER search_forgets_removed_cards AFTER DELETE ON cards
BEGIN
    DELETE FROM search_texts
    WHERE rowid BETWEEN (SELECT number << 16 FROM search_cards WHERE card_id = OLD.id)
        AND (SELECT (number << 16) + 65535 FROM search_cards WHERE card_id = OLD.id);
    DELETE FROM search_titles
    WHERE rowid = (SELECT number FROM search_cards WHERE card_id = OLD.id);
    DELETE FROM search_cards
    WHERE card_id = OLD.id;
    DELETE FROM search_pending
    WHERE org_id = OLD.org_id AND card_id = OLD.id;
    DELETE FROM search_backlog
    WHERE org_id = OLD.org_id AND card_id = OLD.id;
END;

PRAGMA user_version = 30;
COMMIT;
