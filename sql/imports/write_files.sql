-- Upsert a file of a snapshot.
INSERT INTO files (
    id, org_id, card_id, field_id, name, mime_type, size_bytes, sha256, uploaded_at
)
VALUES (
    :id, :org_id, :card_id, :field_id, :name, :mime_type, :size_bytes, :sha256, :uploaded_at
)
ON CONFLICT (id) DO UPDATE SET
    card_id = excluded.card_id,
    field_id = excluded.field_id,
    name = excluded.name,
    mime_type = excluded.mime_type,
    size_bytes = excluded.size_bytes,
    sha256 = coalesce(excluded.sha256, files.sha256),
    uploaded_at = excluded.uploaded_at
WHERE files.org_id = excluded.org_id
