-- Keys of cards: REL-12 is the twelfth card of the project whose key is REL.
BEGIN;

ALTER TABLE projects ADD COLUMN key TEXT NOT NULL DEFAULT '';
ALTER TABLE projects ADD COLUMN last_number INTEGER NOT NULL DEFAULT 0;  -- of its cards, removed ones too: none is given twice
ALTER TABLE cards ADD COLUMN number INTEGER NOT NULL DEFAULT 0;          -- in its project

-- Every key that a project has or had. No reference: the keys of removed projects stay, lest an old link find another card.
CREATE TABLE project_keys (
    org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    key TEXT NOT NULL,
    project_id TEXT NOT NULL,
    PRIMARY KEY (org_id, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX project_keys_by_project ON project_keys (project_id);

UPDATE cards
SET number = n.number
FROM (SELECT id, row_number() OVER (PARTITION BY project_id ORDER BY created_at, id) AS number FROM cards) AS n
WHERE cards.id = n.id;

UPDATE projects
SET last_number = coalesce((SELECT max(c.number) FROM cards AS c WHERE c.project_id = projects.id), 0);

CREATE UNIQUE INDEX cards_by_number ON cards (project_id, number);

-- As for new projects (see project_keys.py): the first letters of the words, or the first three letters of the one word.
-- One project after the other, so that each sees what is taken; a key has two characters at least, and ten at most.
CREATE TEMP TABLE numbers (number INTEGER PRIMARY KEY) STRICT;

INSERT INTO numbers (number)
SELECT row_number() OVER () FROM projects
UNION ALL
SELECT count(*) + 1 FROM projects
UNION ALL
SELECT count(*) + 2 FROM projects;

CREATE TEMP TABLE beginnings (project_id TEXT, org_id TEXT, key TEXT) STRICT;

CREATE TEMP TRIGGER projects_get_keys AFTER INSERT ON beginnings
BEGIN
    INSERT INTO project_keys (org_id, key, project_id)
    SELECT NEW.org_id, c.key, NEW.project_id
    FROM (
        SELECT
            n.number,
            CASE
                WHEN n.number = 1 AND length(NEW.key) > 1 THEN NEW.key
                ELSE substr(NEW.key, 1, 10 - length(n.number)) || n.number
            END AS key
        FROM numbers AS n
    ) AS c
    WHERE NOT EXISTS (SELECT 1 FROM project_keys AS k WHERE k.org_id = NEW.org_id AND k.key = c.key)
    ORDER BY c.number
    LIMIT 1;
END;

CREATE TEMP TABLE folded (sign TEXT PRIMARY KEY, letter TEXT NOT NULL) STRICT;

WITH RECURSIVE signs (rest, letters) AS (
    SELECT
        'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
        || 'ÀÁÂÃÄÅÇÈÉÊËÌÍÎÏÑÒÓÔÕÖÙÚÛÜÝàáâãäåçèéêëìíîïñòóôõöùúûüýÿ',
        'ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'
        || 'AAAAAACEEEEIIIINOOOOOUUUUYAAAAAACEEEEIIIINOOOOOUUUUYY'
    UNION ALL
    SELECT substr(rest, 2), substr(letters, 2)
    FROM signs
    WHERE length(rest) > 1
)

INSERT INTO folded (sign, letter)
SELECT substr(rest, 1, 1), substr(letters, 1, 1)
FROM signs;

WITH RECURSIVE read (turn, id, org_id, rest, letter, words, initials, beginning) AS (
    SELECT row_number() OVER (ORDER BY org_id, created_at, id), id, org_id, title, '', 0, '', ''
    FROM projects
    UNION ALL
    SELECT
        r.turn,
        r.id,
        r.org_id,
        substr(r.rest, 2),
        coalesce(f.letter, ''),
        r.words + (f.letter IS NOT NULL AND r.letter = ''),
        r.initials || CASE WHEN r.letter = '' THEN coalesce(f.letter, '') ELSE '' END,
        substr(r.beginning || coalesce(f.letter, ''), 1, 3)
    FROM read AS r
    LEFT JOIN folded AS f ON f.sign = substr(r.rest, 1, 1)
    WHERE r.rest <> ''
)

INSERT INTO beginnings (project_id, org_id, key)
SELECT
    id,
    org_id,
    CASE
        WHEN words = 0 THEN 'P'
        WHEN substr(beginning, 1, 1) GLOB '[0-9]'
            THEN substr('P' || CASE WHEN words > 1 THEN initials ELSE beginning END, 1, 10)
        WHEN words > 1 THEN substr(initials, 1, 10)
        ELSE beginning
    END
FROM read
WHERE rest = ''
ORDER BY turn;

DROP TABLE beginnings; -- with its trigger
DROP TABLE numbers;
DROP TABLE folded;

UPDATE projects
SET key = (SELECT k.key FROM project_keys AS k WHERE k.project_id = projects.id);

-- Events go on telling of cards that are gone by then, so each has the key itself.
ALTER TABLE events ADD COLUMN card_key TEXT;

UPDATE events
SET card_key = p.key || '-' || c.number
FROM cards AS c
JOIN projects AS p ON p.id = c.project_id
WHERE c.id = events.card_id;

DROP VIEW encoded_events;

-- An event as it goes over the wire: what it is not about is left out.
CREATE VIEW encoded_events AS
SELECT
    id,
    org_id,
    '{"id":"' || id || '","type":' || json_quote(type)
    || CASE WHEN card_id IS NULL THEN '' ELSE ',"cardId":' || json_quote(card_id) END
    || CASE WHEN card_key IS NULL THEN '' ELSE ',"cardKey":"' || card_key || '"' END
    || CASE WHEN project_id IS NULL THEN '' ELSE ',"projectId":' || json_quote(project_id) END
    || CASE WHEN about IS NULL THEN '' ELSE ',' || substr(about, 2, length(about) - 2) END
    || ',"actor":' || json_object('type', actor_type, 'id', actor_id, 'label', actor_label)
    || ',"at":' || json_quote(created_at) || '}' AS text
FROM events;

PRAGMA user_version = 20;
COMMIT;
