-- The files of an organization for a snapshot, with where their contents are.
SELECT
    json_object(
        'id', id,
        'cardId', card_id,
        'fieldId', field_id,
        'name', name,
        'mimeType', mime_type,
        'sizeBytes', size_bytes,
        'uploadedAt', uploaded_at
    ) AS row,
    card_id,
    id
FROM files
WHERE org_id = :org_id
ORDER BY card_id, field_id, uploaded_at, id
