-- Archive a card.
UPDATE cards
SET
    archived_at = :now,
    archived_by = :archived_by,
    archive_id = :archive_id,
    version = version + 1,
    updated_at = :now
WHERE id = :card_id
