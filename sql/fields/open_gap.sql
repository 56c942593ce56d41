-- Increase the positions of the fields of a card type from a position on.
UPDATE fields
SET position = position + 1
WHERE card_type_id = :card_type_id AND position >= :position
