-- The next version of a card of which something changed that the row does not hold.
UPDATE cards
SET version = version + 1, updated_at = :now
WHERE id = :card_id
