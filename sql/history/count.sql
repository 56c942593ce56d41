-- The number of history rows of a card; a trigger maintains it.
SELECT history_count
FROM cards
WHERE id = :card_id
