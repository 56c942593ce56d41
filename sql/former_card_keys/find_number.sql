-- The number that a card has had on a board.
SELECT number
FROM former_card_keys
WHERE card_id = :card_id AND project_id = :project_id
