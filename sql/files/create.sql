-- Create a file in a field of a card. Its contents are already on disk.
INSERT INTO files (id, org_id, card_id, field_id, name, mime_type, size_bytes, sha256, uploaded_at)
VALUES (:id, :org_id, :card_id, :field_id, :name, :mime_type, :size_bytes, :sha256, :now)
