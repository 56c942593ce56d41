-- Take a card type away; archived cards may still refer to it.
UPDATE card_types
SET archived_at = :now
WHERE id = :card_type_id
