-- Move a card to a column of another board, with another number and type, and increment its version.
UPDATE cards
SET
    project_id = :project_id,
    number = :number,
    column_id = :column_id,
    card_type_id = :card_type_id,
    rank_key = :rank_key,
    version = version + 1,
    updated_at = :now
WHERE id = :card_id
