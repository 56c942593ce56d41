-- Set the value of a field on a card.
INSERT INTO field_values (card_id, field_id, value)
VALUES (:card_id, :field_id, :value)
ON CONFLICT (card_id, field_id) DO UPDATE SET value = excluded.value
