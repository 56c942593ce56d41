-- Remove a field and the values it has on cards.
DELETE FROM fields
WHERE id = :field_id
