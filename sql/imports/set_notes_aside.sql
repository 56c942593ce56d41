-- Have the cards that an import has brought indexed in the background.
INSERT INTO search_backlog (org_id, card_id)
SELECT p.org_id, p.card_id
FROM search_pending AS p
WHERE p.org_id = :org_id
ON CONFLICT (org_id, card_id) DO NOTHING
