-- Move a card to a position in a column and increment its version.
UPDATE cards
SET column_id = :column_id, rank_key = :rank_key, version = version + 1, updated_at = :now
WHERE id = :card_id
