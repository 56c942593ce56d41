-- The number of history rows of a card, which a trigger maintains.
SELECT history_count
FROM cards
WHERE id = :card_id
