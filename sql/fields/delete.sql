-- Delete a field. Its values on cards are deleted with it.
DELETE FROM fields
WHERE id = :field_id
