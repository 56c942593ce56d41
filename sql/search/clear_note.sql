-- Take a card off the list of those that changed.
DELETE FROM search_pending
WHERE org_id = :org_id AND card_id = :card_id
