-- Restore a card at a position in a column.
UPDATE cards
SET
    column_id = :column_id,
    rank_key = :rank_key,
    archived_at = NULL,
    archived_by = NULL,
    archive_id = NULL,
    version = version + 1,
    updated_at = :now
WHERE id = :card_id
