-- Give the active cards that follow a card in a column evenly spaced rank keys in the order that they have.
UPDATE cards
SET rank_key = :low + spread.place * :step
FROM (
    SELECT id, row_number() OVER (ORDER BY rank_key, id) AS place
    FROM cards
    WHERE column_id = :column_id AND archived_at IS NULL AND (rank_key, id) > (:low, :after_card_id)
    ORDER BY rank_key, id
    LIMIT :count
) AS spread
WHERE cards.id = spread.id
