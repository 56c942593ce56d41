-- The next rank key after a card in a column, except one card.
SELECT min(rank_key)
FROM cards
WHERE
    column_id = :column_id
    AND archived_at IS NULL
    AND (rank_key, id) > (:rank_key, :after_card_id)
    AND id <> :card_id
