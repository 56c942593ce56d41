-- The title of a card and its number in the index, if it has one.
SELECT c.title, s.number
FROM cards AS c
LEFT JOIN search_cards AS s ON s.card_id = c.id
WHERE c.id = :card_id
