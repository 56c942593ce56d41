-- The search index is written with each change. What was noted but not indexed by then is indexed in the background.
BEGIN;

INSERT INTO search_backlog (org_id, card_id)
SELECT p.org_id, p.card_id
FROM search_pending AS p
WHERE true
ON CONFLICT (org_id, card_id) DO NOTHING;

DELETE FROM search_pending;

PRAGMA user_version = 34;
COMMIT;
