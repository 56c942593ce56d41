-- The relation by which a card is part of another.
SELECT id
FROM relationships
WHERE from_card_id = :card_id AND kind = 'partOf'
