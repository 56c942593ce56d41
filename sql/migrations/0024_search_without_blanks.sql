-- Cards with texts in scripts without blanks between words are indexed anew, each character a word (search/scripts.py):
-- so far a run of them was one word, and what is inside it was not found.
BEGIN;

CREATE TEMP TABLE spaceless AS
SELECT rowid AS part
FROM search_texts
WHERE title || fields || comments GLOB '*[' || char(
    0x0E00, 45, 0x0EFF, 0x1000, 45, 0x109F, 0x1780, 45, 0x17FF, 0x2E80, 45, 0x9FFF, 0xAC00, 45, 0xD7FF,
    0xF900, 45, 0xFAFF, 0xFF66, 45, 0xFFDC, 0x20000, 45, 0x3FFFD
) || ']*';

INSERT INTO search_pending (org_id, card_id)
SELECT DISTINCT s.org_id, s.card_id
FROM spaceless AS p
JOIN search_cards AS s ON s.number = p.part >> 16
WHERE true
ON CONFLICT DO NOTHING;

-- What the index does not hold of a card is written again.
DELETE FROM search_texts
WHERE rowid IN (SELECT part FROM spaceless);

DROP TABLE spaceless;

PRAGMA user_version = 24;
COMMIT;
