-- The title of a card, and if the index knows the card: its number there, and by which title it is found by part.
SELECT c.title, s.number, t.title AS part_of
FROM cards AS c
LEFT JOIN search_cards AS s ON s.card_id = c.id
LEFT JOIN search_titles AS t ON t.rowid = s.number
WHERE c.id = :card_id
