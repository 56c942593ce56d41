-- The last part of a card in the index.
SELECT t.rowid AS part, t.title, t.sources, t.fields, t.comments
FROM search_cards AS s
CROSS JOIN search_texts AS t ON t.rowid BETWEEN s.number << 16 AND (s.number << 16) + 65535
WHERE s.card_id = :card_id
ORDER BY t.rowid DESC
LIMIT 1
