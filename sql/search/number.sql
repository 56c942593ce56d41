-- The number of a card in the index.
SELECT number
FROM search_cards
WHERE card_id = :card_id
