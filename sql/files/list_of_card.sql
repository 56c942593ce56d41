-- The files of a card in all its fields, oldest first.
SELECT
    id,
    org_id,
    card_id,
    field_id,
    name,
    mime_type,
    size_bytes,
    sha256,
    uploaded_at
FROM files
WHERE card_id = :card_id
ORDER BY uploaded_at, id
