-- The index of the search holds folded texts. Cards with other than ASCII texts are indexed again in the background;
-- texts in ASCII are found as they are, since the index ignores their case.
BEGIN;

INSERT INTO search_backlog (org_id, card_id)
SELECT DISTINCT c.org_id, c.id
FROM search_texts AS t
JOIN search_cards AS s ON s.number = t.rowid >> 16
JOIN cards AS c ON c.id = s.card_id
WHERE replace(t.title || t.fields || t.comments, char(0xE002), '') GLOB '*[^' || char(1) || '-~]*'
ON CONFLICT (org_id, card_id) DO NOTHING;

PRAGMA user_version = 52;
COMMIT;
