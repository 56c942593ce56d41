-- The active card right above a card in its column.
SELECT o.id
FROM cards AS c
JOIN cards AS o ON o.column_id = c.column_id AND o.archived_at IS NULL
WHERE c.id = :card_id AND (o.rank_key, o.id) < (c.rank_key, c.id)
ORDER BY o.rank_key DESC, o.id DESC
LIMIT 1
