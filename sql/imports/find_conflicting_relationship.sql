-- The relation that stands in the way of another one: of the same kind between the same cards, or to another parent.
SELECT id
FROM relationships
WHERE from_card_id = :from_card_id AND kind = :kind AND (to_card_id = :to_card_id OR :kind = 'partOf')
