-- How many active cards of a column are above a place.
SELECT count(*)
FROM cards
WHERE column_id = :column_id AND archived_at IS NULL AND (rank_key, id) < (:rank_key, :card_id)
