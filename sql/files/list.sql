-- The files in a field of a card, oldest first.
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
WHERE card_id = :card_id AND field_id = :field_id
ORDER BY uploaded_at, id
