-- Delete a card permanently, with its field values, comments and history.
DELETE FROM cards
WHERE id = :card_id
