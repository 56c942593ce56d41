-- Remove a card for good, with its values, comments and history.
DELETE FROM cards
WHERE id = :card_id
