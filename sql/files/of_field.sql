-- The files that all cards have in a field.
SELECT id, org_id, card_id
FROM files
WHERE field_id = :field_id
