-- The cards that were removed since a time.
SELECT DISTINCT card_id
FROM events
WHERE org_id = :org_id AND created_at > :since AND type = 'card.removed'
LIMIT :limit
