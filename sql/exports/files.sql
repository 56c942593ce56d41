-- The files of an organization for a snapshot.
SELECT
    json_object(
        'id', id,
        'cardId', card_id,
        'fieldId', field_id,
        'name', name,
        'mimeType', mime_type,
        'sizeBytes', size_bytes,
        'sha256', sha256,
        'uploadedAt', uploaded_at
    ) AS row
FROM files
WHERE org_id = :org_id
ORDER BY card_id, field_id, uploaded_at, id
