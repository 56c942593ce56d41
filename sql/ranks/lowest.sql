-- The lowest rank key of the active cards of a column, except one card.
SELECT min(rank_key)
FROM cards
WHERE column_id = :column_id AND archived_at IS NULL AND id <> :card_id
