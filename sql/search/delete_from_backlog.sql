-- Remove a card from the backlog of the index.
DELETE FROM search_backlog
WHERE org_id = :org_id AND card_id = :card_id
