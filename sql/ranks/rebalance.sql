-- Space the rank keys of active cards after a card in a column evenly, in their order.
UPDATE cards
SET rank_key = :low + ordered.position * :step
FROM (
    SELECT id, row_number() OVER (ORDER BY rank_key, id) AS position
    FROM cards
    WHERE column_id = :column_id AND archived_at IS NULL AND (rank_key, id) > (:low, :after_card_id)
    ORDER BY rank_key, id
    LIMIT :count
) AS ordered
WHERE cards.id = ordered.id
