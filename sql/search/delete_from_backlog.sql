-- Take a card off the list of those to be indexed in the background.
DELETE FROM search_backlog
WHERE org_id = :org_id AND card_id = :card_id
