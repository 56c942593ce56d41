-- A new file in a field of a card; its contents are on disk by now.
INSERT INTO files (id, org_id, card_id, field_id, name, mime_type, size_bytes, uploaded_at)
VALUES (:id, :org_id, :card_id, :field_id, :name, :mime_type, :size_bytes, :now)
