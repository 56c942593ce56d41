-- Give the active cards of a column evenly spaced rank keys in the order that they have.
UPDATE cards
SET rank_key = spread.place * :gap
FROM (
    SELECT id, row_number() OVER (ORDER BY rank_key, id) AS place
    FROM cards
    WHERE column_id = :column_id AND archived_at IS NULL
) AS spread
WHERE cards.id = spread.id
