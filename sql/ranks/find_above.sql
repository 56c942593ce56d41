-- The active card directly above a card in its column.
SELECT other.id
FROM cards AS c
JOIN cards AS other ON other.column_id = c.column_id AND other.archived_at IS NULL
WHERE c.id = :card_id AND (other.rank_key, other.id) < (c.rank_key, c.id)
ORDER BY other.rank_key DESC, other.id DESC
LIMIT 1
