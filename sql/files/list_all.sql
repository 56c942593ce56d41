-- The location of the contents of every file.
SELECT org_id, card_id, id
FROM files
