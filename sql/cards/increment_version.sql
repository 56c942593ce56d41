-- Increment the version of a card after a change outside its row.
UPDATE cards
SET version = version + 1, updated_at = :now
WHERE id = :card_id
