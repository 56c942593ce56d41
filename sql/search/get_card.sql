-- The title of a card, its place in the index, and the row of the index to which further texts are added.
SELECT
    c.title AS card_title,
    s.number,
    coalesce(s.parts, 0) AS parts,
    s.comments_part,
    coalesce(t.title, p.title) AS title,
    coalesce(t.sources, p.sources) AS sources,
    coalesce(t.fields, p.fields) AS fields,
    coalesce(t.comments, p.comments) AS comments
FROM cards AS c
LEFT JOIN search_cards AS s ON s.card_id = c.id
LEFT JOIN search_texts AS t ON t.rowid = s.number
LEFT JOIN search_parts AS p ON p.rowid = (s.number << 18) + s.comments_part
WHERE c.id = :card_id
