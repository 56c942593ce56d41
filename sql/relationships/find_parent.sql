-- The relationship of a card with its parent card.
SELECT id
FROM relationships
WHERE from_card_id = :card_id AND kind = 'partOf'
