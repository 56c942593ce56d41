-- Take a card off the list of those that came in great numbers.
DELETE FROM search_backlog
WHERE org_id = :org_id AND card_id = :card_id
