-- Where the contents of every file must be on disk.
SELECT org_id, card_id, id
FROM files
