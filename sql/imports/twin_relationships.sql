-- The relationship of a kind between two cards: there can be one.
SELECT id
FROM relationships
WHERE from_card_id = :from_card_id AND to_card_id = :to_card_id AND kind = :kind
