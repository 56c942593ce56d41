-- The relationship of a kind from one card to another.
SELECT id
FROM relationships
WHERE from_card_id = :from_card_id AND to_card_id = :to_card_id AND kind = :kind
