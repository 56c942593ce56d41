-- Move the files in one field of a card to another field.
UPDATE files
SET field_id = :new_field_id
WHERE card_id = :card_id AND field_id = :field_id
