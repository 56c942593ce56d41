-- The file with an id, of any organization.
SELECT
    id, org_id, card_id, field_id, name, mime_type, size_bytes, uploaded_at
FROM files
WHERE id = :id
