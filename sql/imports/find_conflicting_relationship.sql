-- A relationship that excludes a new one: the same kind between the same cards, or another parent.
SELECT id
FROM relationships
WHERE from_card_id = :from_card_id AND kind = :kind AND (to_card_id = :to_card_id OR :kind = 'partOf')
