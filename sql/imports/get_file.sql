-- The file with an id, of any organization.
SELECT
    id, org_id, card_id, field_id, name, mime_type, size_bytes, sha256, uploaded_at
FROM files
WHERE id = :id
