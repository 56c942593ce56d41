-- One file with its card.
SELECT
    id,
    org_id,
    card_id,
    field_id,
    name,
    mime_type,
    size_bytes,
    sha256,
    lost_since,
    uploaded_at
FROM files
WHERE id = :file_id
