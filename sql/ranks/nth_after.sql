-- The rank key of the active card at an offset after a card in a column.
SELECT rank_key
FROM cards
WHERE column_id = :column_id AND archived_at IS NULL AND (rank_key, id) > (:low, :after_card_id)
ORDER BY rank_key, id
LIMIT 1 OFFSET :count
