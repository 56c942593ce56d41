-- The rank key that follows a card in a column, one card left out.
SELECT min(rank_key)
FROM cards
WHERE
    column_id = :column_id
    AND archived_at IS NULL
    AND (rank_key, id) > (:rank_key, :after_card_id)
    AND id <> :card_id
