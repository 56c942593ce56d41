-- The title of a card, its number in the index and the folded title that is indexed for substrings.
SELECT c.title, s.number, t.title AS part_of
FROM cards AS c
LEFT JOIN search_cards AS s ON s.card_id = c.id
LEFT JOIN search_titles AS t ON t.rowid = s.number
WHERE c.id = :card_id
