-- A change writes only the texts that it changes to the search index, however much lies on the card. A card with few
-- texts (2,000 characters) has them in one row of search_texts. Any other has rows in search_parts: one for its title,
-- one for each value, and one for some comments at a time. What the index has is divided anew, not read again. It no
-- longer stores sizes of texts, which no search uses.
BEGIN;

CREATE VIRTUAL TABLE search_parts USING fts5 (     -- rowid: search_cards.number << 18, plus the number of the row
    title,
    sources UNINDEXED,
    fields,
    comments,
    tokenize = 'unicode61 remove_diacritics 2',
    columnsize = 0
);

CREATE VIRTUAL TABLE new_search_texts USING fts5 ( -- rowid: search_cards.number
    title,
    sources UNINDEXED,                             -- JSON: the ids of the fields and comments, in the order of their texts
    fields,
    comments,
    tokenize = 'unicode61 remove_diacritics 2',
    columnsize = 0
);

CREATE TABLE search_values (                       -- where search_parts has the values of large cards
    number INTEGER NOT NULL,
    field_id TEXT NOT NULL,
    part INTEGER NOT NULL,
    PRIMARY KEY (number, field_id)
) STRICT, WITHOUT ROWID;

ALTER TABLE search_cards ADD COLUMN parts INTEGER NOT NULL DEFAULT 0; -- rows in search_parts; 0: it has one in search_texts

ALTER TABLE search_cards ADD COLUMN comments_part INTEGER; -- the last row in search_parts with comments; null: none

DROP TRIGGER delete_search_on_card_delete;

DROP TRIGGER queue_search_on_card_insert;

DROP TRIGGER queue_search_on_title_update;

DROP TRIGGER queue_search_on_comment_insert;

DROP TRIGGER queue_search_on_value_delete;

DROP TRIGGER queue_search_on_value_insert;

DROP TRIGGER queue_search_on_value_update;

CREATE TEMPORARY TABLE large_cards (number INTEGER PRIMARY KEY);

INSERT INTO large_cards (number)
SELECT rowid >> 16
FROM search_texts
GROUP BY rowid >> 16
HAVING count(*) > 1 OR sum(length(title) + length(sources) + length(fields) + length(comments)) > 2000;

INSERT INTO new_search_texts (rowid, title, sources, fields, comments)
SELECT rowid >> 16, title, sources, fields, comments
FROM search_texts
WHERE rowid & 65535 = 0 AND rowid >> 16 NOT IN (SELECT number FROM large_cards);

CREATE TEMPORARY TABLE large_values (number INTEGER, part INTEGER, field_id TEXT, content TEXT);

-- The values are the same in all rows of a card. Texts are separated by a private character, which none of them has.
INSERT INTO large_values (number, part, field_id, content)
SELECT
    t.rowid >> 16,
    row_number() OVER (PARTITION BY t.rowid ORDER BY ids.key),
    ids.value,
    texts.value
FROM large_cards AS large
CROSS JOIN search_texts AS t ON t.rowid = large.number << 16
CROSS JOIN json_each(t.sources, '$.fields') AS ids
CROSS JOIN json_each('[' || replace(json_quote(t.fields), '\n' || char(0xE002) || '\n', '","') || ']') AS texts
    ON texts.key = ids.key;

CREATE INDEX temp.large_values_by_number ON large_values (number);

INSERT INTO search_parts (rowid, title, sources, fields, comments)
SELECT large.number << 18, t.title, '{"fields":[],"comments":[]}', '', ''
FROM large_cards AS large
CROSS JOIN search_texts AS t ON t.rowid = large.number << 16;

INSERT INTO search_parts (rowid, title, sources, fields, comments)
SELECT
    (number << 18) + part,
    '',
    json_object('fields', json_array(field_id), 'comments', json_array()),
    content,
    ''
FROM large_values;

INSERT INTO search_values (number, field_id, part)
SELECT number, field_id, part
FROM large_values
WHERE true
ON CONFLICT DO NOTHING;

CREATE TEMPORARY TABLE large_comments (number INTEGER, part INTEGER, id TEXT, content TEXT);

-- Comments that begin within the same 2,000 characters of all comments of their card share a row.
INSERT INTO large_comments (number, part, id, content)
SELECT
    number,
    dense_rank() OVER (PARTITION BY number ORDER BY place / 2000),
    id,
    content
FROM (
    SELECT
        t.rowid >> 16 AS number,
        ids.value AS id,
        texts.value AS content,
        coalesce(
            sum(length(texts.value) + 36) OVER (
                PARTITION BY t.rowid >> 16 ORDER BY t.rowid, ids.key ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
            ),
            0
        ) AS place
    FROM large_cards AS large
    CROSS JOIN search_texts AS t ON t.rowid BETWEEN large.number << 16 AND (large.number << 16) + 65535
    CROSS JOIN json_each(t.sources, '$.comments') AS ids
    CROSS JOIN json_each('[' || replace(json_quote(t.comments), '\n' || char(0xE002) || '\n', '","') || ']') AS texts
        ON texts.key = ids.key
    ORDER BY t.rowid, ids.key
);

UPDATE large_comments
SET part = part + (SELECT count(*) FROM large_values AS v WHERE v.number = large_comments.number);

INSERT INTO search_parts (rowid, title, sources, fields, comments)
SELECT
    (number << 18) + part,
    '',
    json_object('fields', json_array(), 'comments', json_group_array(id)),
    '',
    group_concat(content, char(10, 0xE002, 10))
FROM (SELECT number, part, id, content FROM large_comments ORDER BY number, part, rowid)
GROUP BY number, part;

CREATE INDEX temp.large_comments_by_number ON large_comments (number, part);

UPDATE search_cards
SET
    parts = 1 + coalesce(
        (SELECT max(part) FROM large_comments AS m WHERE m.number = search_cards.number),
        (SELECT count(*) FROM large_values AS v WHERE v.number = search_cards.number)
    ),
    comments_part = (SELECT max(part) FROM large_comments AS m WHERE m.number = search_cards.number)
WHERE number IN (SELECT number FROM large_cards);

DROP TABLE large_cards;

DROP TABLE large_values;

DROP TABLE large_comments;

DROP TABLE search_texts;

ALTER TABLE new_search_texts RENAME TO search_texts;

INSERT INTO search_backlog (org_id, card_id)
SELECT p.org_id, p.card_id
FROM search_pending AS p
WHERE true
ON CONFLICT DO NOTHING;

DROP TABLE search_pending;

CREATE TABLE search_pending (                      -- texts that the running transaction has changed
    org_id TEXT NOT NULL,
    card_id TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('title', 'value', 'comment')),
    source_id TEXT NOT NULL,                       -- of the field or the comment; '': it is the title
    PRIMARY KEY (org_id, card_id, kind, source_id)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER delete_search_on_card_delete AFTER DELETE ON cards
BEGIN
    DELETE FROM search_texts
    WHERE rowid = (SELECT number FROM search_cards WHERE card_id = OLD.id);
    DELETE FROM search_parts
    WHERE rowid BETWEEN (SELECT number << 18 FROM search_cards WHERE card_id = OLD.id)
        AND (SELECT (number + 1 << 18) - 1 FROM search_cards WHERE card_id = OLD.id);
    DELETE FROM search_values
    WHERE number = (SELECT number FROM search_cards WHERE card_id = OLD.id);
    DELETE FROM search_titles
    WHERE rowid = (SELECT number FROM search_cards WHERE card_id = OLD.id);
    DELETE FROM search_cards
    WHERE card_id = OLD.id;
    DELETE FROM search_pending
    WHERE org_id = OLD.org_id AND card_id = OLD.id;
    DELETE FROM search_backlog
    WHERE org_id = OLD.org_id AND card_id = OLD.id;
END;

CREATE TRIGGER queue_search_on_card_insert AFTER INSERT ON cards
BEGIN
    INSERT INTO search_pending (org_id, card_id, kind, source_id)
    VALUES (NEW.org_id, NEW.id, 'title', '')
    ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER queue_search_on_title_update AFTER UPDATE OF title ON cards
WHEN NEW.title <> OLD.title
BEGIN
    INSERT INTO search_pending (org_id, card_id, kind, source_id)
    VALUES (NEW.org_id, NEW.id, 'title', '')
    ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER queue_search_on_comment_insert AFTER INSERT ON comments
BEGIN
    INSERT INTO search_pending (org_id, card_id, kind, source_id)
    VALUES (NEW.org_id, NEW.card_id, 'comment', NEW.id)
    ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER queue_search_on_value_delete AFTER DELETE ON field_values
BEGIN
    INSERT INTO search_pending (org_id, card_id, kind, source_id)
    SELECT org_id, id, 'value', OLD.field_id
    FROM cards
    WHERE id = OLD.card_id
    ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER queue_search_on_value_insert AFTER INSERT ON field_values
BEGIN
    INSERT INTO search_pending (org_id, card_id, kind, source_id)
    SELECT org_id, id, 'value', NEW.field_id
    FROM cards
    WHERE id = NEW.card_id
    ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER queue_search_on_value_update AFTER UPDATE OF value ON field_values
WHEN NEW.value <> OLD.value
BEGIN
    INSERT INTO search_pending (org_id, card_id, kind, source_id)
    SELECT org_id, id, 'value', NEW.field_id
    FROM cards
    WHERE id = NEW.card_id
    ON CONFLICT DO NOTHING;
END;

PRAGMA user_version = 59;
COMMIT;
