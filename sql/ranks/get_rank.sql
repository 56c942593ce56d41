-- The rank key of an active card of a column.
SELECT rank_key
FROM cards
WHERE id = :card_id AND column_id = :column_id AND archived_at IS NULL
