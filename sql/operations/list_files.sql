-- Every file there is, with where its contents are and how many bytes they have.
SELECT org_id, card_id, id, size_bytes
FROM files
ORDER BY org_id, card_id, id
